import type { DemoPrompt } from './prompt.ts';
import { type DemoStep, say } from './steps.ts';

interface Gap {
  /** Words that show it has been thought of. */
  covered: RegExp;
  says: string;
}

const GAPS: readonly Gap[] = [
  {
    covered: /\b(?:i|we|she|he|they|[A-Z]\p{L}+) (?:will|does|do|handles?|takes?|owns?)\b|\bassigned to\b/u,
    says: '**Who does it?** The work has no owner yet.',
  },
  {
    covered: /\bif\b|\bunless\b|\broll(?:s|ed)? back\b|\bfallback\b|\bundo\b/i,
    says: '**What if it goes wrong?** Say how to undo it, and how long that is possible.',
  },
  {
    covered: /\b(?:announce|email|inform|write to|let \S+ know|tell (?!nobody|no one))/i,
    says: '**Who needs to know?** Write down who has to be told, and by when.',
  },
  {
    covered: /\b(?:test|check|review|measure|try)(?:s|ed|ing)?\b/i,
    says: '**How do you know it worked?** Name one thing you would check the next morning.',
  },
];

/** Looks at a plan that is in the question itself, and names what it does not mention. */
export const REVIEW_REPLY = {
  words: /\b(?:plan|proposal|draft)\b[^:]{0,80}:\s*(\S[\s\S]*)/i,
  example: 'look at my plan: everything ships on Friday',
  reply: (_prompt: DemoPrompt, match: RegExpExecArray): readonly DemoStep[] => [
    say(...review((match[1] ?? '').trim())),
  ],
};

const HOW_MANY = ['', 'One question is', 'Two questions are', 'Three questions are'];

function review(plan: string): string[] {
  const missing = GAPS.filter(({ covered }) => !covered.test(plan)).slice(0, 3);
  const verdict = missing.length === 0 ? 'Nothing is missing.' : `${HOW_MANY[missing.length]} open.`;
  const quoted = `> ${plan.replace(/\s+/g, ' ').slice(0, 200)}`;
  const points = missing.map(({ says }, at) => `${at + 1}. ${says}`);
  return [verdict, '', quoted, '', ...points, '', '(This is the offline demo: it matches keywords, not meaning.)'];
}

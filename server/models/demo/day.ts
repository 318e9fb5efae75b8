import { type DemoPrompt, firstSentence, otherSpeakers, USER } from './prompt.ts';
import { type DemoStep, say } from './steps.ts';

/** The one day the demo knows, so that a first conversation is about something. */
const TODAY = [
  'You have three things on today:',
  '',
  '- 9:00 standup',
  '- 11:00 design review',
  '- 15:00 call with the printers',
  '',
  'You are free from 16:00. (This is the offline demo: every day is the same.)',
];

const CLEARED = [
  'The only thing in your afternoon is the call with the printers at 15:00. I would move it to tomorrow at 10:00 and let them know.',
  '',
  '(This is the offline demo: no calendar was changed.)',
];

export const DAY_REPLIES = [
  {
    words:
      /\bwhat(?:[’']?s| is) (?:on|up|planned)(?: for)?(?: me)? ?(?:today|this (?:morning|afternoon))?\b|\bmy (?:day|agenda|calendar)\b/i,
    example: "what's on today?",
    reply: (): readonly DemoStep[] => [say(...TODAY)],
  },
  {
    words: /\b(?:clear|free|empty) (?:up )?my (?:afternoon|day|calendar)\b/i,
    example: 'clear my afternoon',
    reply: (): readonly DemoStep[] => [say(...CLEARED)],
  },
  {
    words: /\bwhat do you (?:think|say|make of)\b|\breview\b|\byour opinion\b|\bdo you agree\b/i,
    example: 'what do you think of that plan?',
    reply: (prompt: DemoPrompt): readonly DemoStep[] => [say(...opinion(prompt))],
  },
];

/** About the last message of another speaker, with its name and its words. */
function opinion(prompt: DemoPrompt): string[] {
  const others = otherSpeakers(prompt);
  const last = prompt.said.findLast(({ speaker }) => others.includes(speaker)) ?? earlierQuestion(prompt);
  if (!last) return ['Show me something first: there is nothing to review here yet. (I am the offline demo.)'];
  return [
    `${last.speaker === USER ? 'You' : last.speaker} said: “${firstSentence(last.text)}”`,
    '',
    'That makes sense. One thing is missing: who tells the people it affects, and by when?',
    '',
    '(I am the offline demo: I would ask that about anything.)',
  ];
}

function earlierQuestion({ said }: DemoPrompt) {
  return said.slice(0, -1).findLast(({ speaker }) => speaker === USER);
}

import { ProviderFault } from '../attempt.ts';
import { buildAgent } from './builder.ts';
import { DAY_REPLIES } from './day.ts';
import { delegate, reportLateAnswer, summariseAnswers } from './delegation.ts';
import { type DemoPrompt, otherSpeakers, USER } from './prompt.ts';
import { REVIEW_REPLY } from './review.ts';
import { type DemoStep, say, think } from './steps.ts';
import { summarise, wantsSummary } from './summary.ts';
import { askKnowledge, callNamedTool, callRequestedTool, reportResults, toolRequestExamples } from './tool-requests.ts';

/** What the demo model does about a request. */
export function replyTo(prompt: DemoPrompt): readonly DemoStep[] {
  const built = buildAgent(prompt);
  if (built) return built;
  if (prompt.results) return reportResults(prompt.results);
  const answered = summariseAnswers(prompt) ?? reportLateAnswer(prompt);
  if (answered) return answered;
  if (wantsSummary(prompt)) return summarise(prompt);
  return (
    delegate(prompt) ??
    callNamedTool(prompt) ??
    callRequestedTool(prompt) ??
    scriptedReply(prompt) ??
    askKnowledge(prompt) ??
    smallTalk(prompt)
  );
}

interface Reply {
  words: RegExp;
  /** How to ask for it, as the help shows it. */
  example: string;
  reply(prompt: DemoPrompt, match: RegExpExecArray): readonly DemoStep[];
}

/** The first that matches wins, so the more particular come first. */
const REPLIES: readonly Reply[] = [
  {
    words: /^\s*echo[:\s]+([\s\S]+)/i,
    example: 'echo hello there',
    reply: (_prompt, match) => [say((match[1] ?? '').trim())],
  },
  {
    words: /\bcount (?:from 1 )?to (\d+)/i,
    example: 'count to 10',
    reply: (_prompt, match) => [say(countTo(Number(match[1])))],
  },
  {
    words: /\bwhat (?:did|do|can) you (?:actually )?(?:see|get|receive)\b|\bwhat were you sent\b/i,
    example: 'what did you see?',
    reply: (prompt) => [say(...whatItSaw(prompt))],
  },
  {
    words: /\bwho (?:is|was|are) (?:here|in|part of|there|speaking)\b|\bwho (?:has|have) spoken\b|\bwho else\b/i,
    example: 'who is in this conversation?',
    reply: (prompt) => [say(whoIsHere(prompt))],
  },
  {
    words: /\b(?:repeat|quote|what did) (?:what )?(?:@)?([\p{L}\d][\p{L}\d/_.-]*) (?:just )?(?:said|say)\b/iu,
    example: 'repeat what NAME said',
    reply: (prompt, match) => [say(whatTheySaid(prompt, match[1] ?? ''))],
  },
  {
    words: /^\s*(?:please )?overflow(?: (?:above|over) (\d+))?/i,
    example: 'overflow (or: overflow above 2000)',
    reply: (prompt, match) => overflow(prompt, match[1]),
  },
  {
    words: /\bfail (?:midway|in the middle|halfway)\b/i,
    example: 'fail midway',
    reply: () => [say("I'll say this much, and then"), failed('model_stream_broken', 'stopped midway, as requested')],
  },
  {
    words: /^\s*(?:please )?fail\b|\b(?:make|give) (?:me )?an error\b/i,
    example: 'fail',
    reply: () => [failed('model_rejected', 'failed, as requested')],
  },
  {
    words: /^\s*(?:please )?stall\b|\bsay nothing forever\b/i,
    example: 'stall',
    reply: () => [say("I won't say anything from here on."), { kind: 'stall' }],
  },
  {
    words: /\bslow(?:ly)?\b/i,
    example: 'answer slowly',
    reply: (prompt) => [{ kind: 'slow' }, say(`${intro(prompt)} I am taking my time over these words.`)],
  },
  {
    words: /\bthink (?:aloud|out loud|about|first|hard)\b|\breason(?:ing)?\b/i,
    example: 'think aloud',
    reply: (prompt) => [
      think(
        `The question is: ${quote(prompt.asked)}`,
        'I am a demo, so my reasoning was written in advance.',
        'That is enough to answer.',
      ),
      say(`${intro(prompt)} I thought about it first; my reasoning is shown separately.`),
    ],
  },
  {
    words: /\btable\b/i,
    example: 'show a table',
    reply: () => [say(...TABLE)],
  },
  {
    words: /\bcode\b/i,
    example: 'show some code',
    reply: () => [say(...CODE)],
  },
  {
    words: /\b(?:bullet|numbered|a) list\b/i,
    example: 'show a list',
    reply: () => [say(...LIST)],
  },
  {
    words: /\bmarkdown\b/i,
    example: 'show markdown',
    reply: () => [say(...LIST, '', ...TABLE, '', ...CODE)],
  },
  {
    words: /\blong (?:answer|text|story|reply)\b|\bat length\b/i,
    example: 'give a long answer',
    reply: (prompt) => [say(intro(prompt), '', ...LONG)],
  },
  REVIEW_REPLY,
  ...DAY_REPLIES,
  {
    words: /\bhelp\b|\bwhat can (?:you|i)\b/i,
    example: 'help',
    reply: (prompt) => [say(...help(prompt))],
  },
];

function scriptedReply(prompt: DemoPrompt): readonly DemoStep[] | undefined {
  for (const { words, reply } of REPLIES) {
    const match = words.exec(prompt.asked);
    if (match) return reply(prompt, match);
  }
  return undefined;
}

function smallTalk(prompt: DemoPrompt): readonly DemoStep[] {
  const greeting = /^\s*(?:hi|hello|hey|good (?:morning|day|evening))\b/i.test(prompt.asked) ? 'Hello! ' : '';
  return [
    say(
      `${greeting}${intro(prompt)}${aside(prompt)} You said: ${quote(prompt.asked)}`,
      '',
      'Say "help" to see what I can show.',
    ),
  ];
}

function intro({ persona }: DemoPrompt): string {
  return `This is ${persona}, played by the offline demo model.`;
}

function aside(prompt: DemoPrompt): string {
  const last = prompt.said.findLast(({ speaker }) => otherSpeakers(prompt).includes(speaker));
  return last ? ` I have read what ${last.speaker} said: ${quote(last.text)}` : '';
}

function quote(text: string): string {
  const flat = text.replace(/\s+/g, ' ').trim();
  return `"${flat.length <= 200 ? flat : `${flat.slice(0, 199)}…`}"`;
}

function help(prompt: DemoPrompt): string[] {
  const tools = prompt.request.tools.map(({ name }) => `- use ${name} with key=value`);
  return [
    `${intro(prompt)} No model is called and nothing leaves this machine. Ask me, in these or similar words:`,
    '',
    ...REPLIES.map(({ example }) => `- ${example}`),
    '- summarise the conversation',
    ...toolRequestExamples(prompt),
    ...tools,
  ];
}

function countTo(number: number): string {
  return Array.from({ length: Math.min(number, 10_000) }, (_, at) => at + 1).join(' ');
}

function whatItSaw({ request, said, persona }: DemoPrompt): string[] {
  const lines = said.map(({ speaker, text }) => `- ${speaker}: ${quote(text)}`);
  return [
    `I am ${persona}. My system prompt has ${request.system.length} characters and begins ${quote(request.system)}.`,
    `I was sent ${request.messages.length} ${request.messages.length === 1 ? 'message' : 'messages'} and ${request.tools.length} ${request.tools.length === 1 ? 'tool' : 'tools'}:`,
    '',
    ...lines,
  ];
}

function whoIsHere(prompt: DemoPrompt): string {
  const others = otherSpeakers(prompt);
  const rest = others.length > 0 ? ` Also here: ${others.join(', ')}.` : ' No other agent has replied yet.';
  return `You are here, and I am ${prompt.persona}.${rest}`;
}

function whatTheySaid({ said, persona }: DemoPrompt, name: string): string {
  const wanted = /^(?:i|we|the user|user)$/i.test(name) ? USER : /^you$/i.test(name) ? persona : name;
  const before = said.slice(0, -1);
  const found = before.findLast(({ speaker }) => speaker.toLowerCase() === wanted.toLowerCase());
  return found ? `${found.speaker} said: ${quote(found.text)}` : `I have not seen any message from ${name}.`;
}

function overflow({ request }: DemoPrompt, above: string | undefined): readonly DemoStep[] {
  const size = JSON.stringify(request.messages).length;
  if (above !== undefined && size <= Number(above)) return [say(`It fits: ${size} characters.`)];
  return [failed('model_context_overflow', `was asked to treat ${size} characters as too long`)];
}

function failed(code: 'model_rejected' | 'model_stream_broken' | 'model_context_overflow', words: string): DemoStep {
  return { kind: 'fail', fault: new ProviderFault(words, { code }) };
}

/** Texts that show what the reader can display. */

const TABLE = [
  '| Part | What it does |',
  '| --- | --- |',
  '| Session | holds one conversation |',
  '| Agent | answers in it, under its own name |',
  '| Turn | everything one agent does for one input |',
];

const CODE = [
  'A few lines of code:',
  '',
  '```ts',
  'export function greet(name: string): string {',
  '  return `Hello, ${name}! 1 < 2 && "quotes" stay.`;',
  '}',
  '```',
];

const LIST = [
  '## A list',
  '',
  '- **bold**, *italic* and `code`',
  '- a [link](https://example.com)',
  '  1. nested, first',
  '  2. nested, second',
  '',
  '> And a quotation.',
];

const PARAGRAPH = [
  'A conversation is a list of messages.',
  'When several agents take part, the name next to each message keeps it readable.',
  'This text is long on purpose, so that you can try scrolling, stopping and coming back.',
  'It makes no point, and it needs no network.',
].join(' ');

const LONG = Array.from({ length: 12 }, (_, at) => `${at + 1}. ${PARAGRAPH}\n`);

/** Texts that show what the reader can display. */

export const TABLE = [
  '| Part | What it does |',
  '| --- | --- |',
  '| Session | holds one conversation |',
  '| Agent | answers in it, under its own name |',
  '| Turn | everything one agent does for one input |',
];

export const CODE = [
  'A few lines of code:',
  '',
  '```ts',
  'export function greet(name: string): string {',
  '  return `Hello, ${name}! 1 < 2 && "quotes" stay.`;',
  '}',
  '```',
];

export const LIST = [
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

export const LONG = Array.from({ length: 12 }, (_, at) => `${at + 1}. ${PARAGRAPH}\n`);

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { render } from 'vitest-browser-react';
import { IncrementalLexer } from '../../web/markdown/bounded-lexer.ts';
import { type HighlightNode, highlight } from '../../web/markdown/highlight.ts';
import { Markdown } from '../../web/markdown/markdown.tsx';
import { claimsOtherHost } from '../../web/markdown/safe-url.ts';
import { TextBoundary } from '../../web/markdown/text-boundary.tsx';

/** What begins something in Markdown, in TeX or in HTML, and what ends it. */
const MARKS = [
  ...[
    '> ',
    '>',
    '- ',
    '* ',
    '+ ',
    '1. ',
    '# ',
    '```\n',
    '~~~\n',
    '|',
    '|-',
    '---\n',
    '===\n',
    '    ',
    '\t',
    '\n',
    '\n\n',
  ],
  ...['**', '*', '_', '__', '~~', '`', '``', '[', ']', '![', '](', ')', '[a](', '[a][', '[a]: b\n', '<', '<a ', '<!--'],
  ...['<div>\n', '</div>', '<script>', '&', '&amp;', '&#', '\\', '\\(', '\\[', '\\]', '$', '$$', '$$\n', '{', '}'],
  ...['http://a', 'www.a.', 'a@b.', '"', "'", '- [ ] ', 'a', ' ', 'word ', '\u202e', '\u200f', '👨\u200d👩', '\u0000'],
];

const repeated = (mark: string) => (size: number) => mark.repeat(Math.ceil(size / mark.length)).slice(0, size);
const stairs = (mark: string) => (size: number) =>
  Array.from(
    { length: Math.floor(Math.sqrt(size)) },
    (_, at, all = Math.floor(Math.sqrt(size))) => `${mark.repeat(all - at)}a\n`,
  )
    .join('')
    .slice(0, size);
const CORPUS: readonly (readonly [name: string, make: (size: number) => string])[] = [
  ...MARKS.flatMap((mark) => [
    [`${mark} again and again`, repeated(mark)] as const,
    [`${mark} in words`, repeated(`${mark}x `)] as const,
    [`${mark} on every line`, repeated(`${mark}\n`)] as const,
  ]),
  ['emphasis opened, then closed', (size) => repeated('**a ')(size / 2) + repeated('a** ')(size / 2)],
  ['two kinds of emphasis', (size) => repeated('*a _b ')(size / 2) + repeated('b_ a* ')(size / 2)],
  ['brackets opened, then closed', (size) => '['.repeat(size / 2) + ']'.repeat(size / 2)],
  ['links in links', (size) => '['.repeat(size / 5) + '](b)'.repeat(size / 5)],
  ['quotations that end one by one', stairs('> ')],
  ['lists in quotations', stairs('> - ')],
  [
    'lists that go in',
    (size) => Array.from({ length: Math.sqrt(size) }, (_, at) => `${' '.repeat(2 * at)}- a\n`).join(''),
  ],
  ['short lists that are indented', repeated(' - a\n# b\n')],
  ['a list that goes on lazily', (size) => `- - - a\n${repeated('a\n')(size)}`],
  [
    'a wide table with short rows',
    (size) => `${'|a'.repeat(size / 8)}|\n${'|-'.repeat(size / 8)}|\n${repeated('|a\n')(size / 2)}`,
  ],
  ['formulas that end far away', (size) => `${repeated('\\[\n')(size - 3)}\\]\n`],
  ['a very wide table', (size) => `${'|a'.repeat(size / 4)}|\n${'|-'.repeat(size / 4)}|\n`],
  ['formulas in formulas', (size) => `$${'\\sqrt{'.repeat(size / 8)}x${'}'.repeat(size / 8)}$`],
  [
    'runs of backticks',
    (size) => Array.from({ length: Math.sqrt(size) }, (_, at) => `${'`'.repeat(at + 1)} `).join(''),
  ],
];

test('nested and unclosed everything is drawn: nothing is thrown, nothing is lost, nothing is deep', async () => {
  for (const [name, make] of CORPUS) {
    const text = `Before it.\n\n${make(4_000)}`;
    const screen = await render(<Markdown text={text} />);
    const drawn = screen.container;
    expect([name, drawn.querySelector('[data-plain]')]).toEqual([name, null]);
    expect([name, drawn.textContent.startsWith('Before it.')]).toEqual([name, true]);
    // A definition is not shown, and an entity is what it stands for.
    if (!/\]: b|&amp/.test(name))
      expect([name, lettersOf(wordsIn(drawn))]).toEqual([name, expect.stringContaining(lettersOf(text).slice(0, 200))]);
    expect([name, depthOf(drawn) < 60]).toEqual([name, true]);
    await screen.unmount();
  }
}, 60_000);

test('the time to read a text grows with its length and not with the square of it', () => {
  // The short one is longer than the longest formula: an unfinished one up to there is plain text, read at once.
  const slow = CORPUS.filter(([, make]) => isOutOfProportion(make(4_200), make(33_600)));
  expect(slow.map(([name]) => name)).toEqual([]);
}, 60_000);

test('whatever pieces a text is made of and however it arrives, it is drawn like the whole', async () => {
  const grown = await render(<Markdown text="" isGrowing />);
  const pieces = fc.array(fc.constantFrom(...MARKS), { minLength: 1, maxLength: 60 });
  const sizes = fc.array(fc.integer({ min: 1, max: 17 }), { minLength: 1, maxLength: 6 });
  for (const [marks, steps] of fc.sample(fc.tuple(pieces, sizes), { numRuns: 120, seed: 20_261_117 })) {
    const text = marks.join('');
    for (let end = 0, step = 0; end < text.length; step++) {
      end = Math.min(text.length, end + steps[step % steps.length]!);
      await grown.rerender(<Markdown text={text.slice(0, end)} isGrowing />);
    }
    await grown.rerender(<Markdown text={text} />);
    const whole = await render(<Markdown text={text} />);
    expect(grown.container.querySelector('[data-plain]')).toBeNull();
    expect([text, wordsIn(grown.container)]).toEqual([text, wordsIn(whole.container)]);
    await whole.unmount();
  }
}, 60_000);

test.each([
  ['bash', '$("'],
  ['python', 'f"{'],
  ['javascript', '`${'],
  ['xml', '<a '],
  ['markdown', '> **'],
  ['json', '[{'],
])('code in %s that nests without end is coloured or left alone, and nothing is too deep', async (language, piece) => {
  // The highlighter gives up at the longer text, and makes a tree of the shorter one.
  for (const size of [300, 6_000]) await expectShallow(language, piece.repeat(size / piece.length));
});

async function expectShallow(language: string, code: string): Promise<void> {
  const screen = await render(<Markdown text={`\`\`\`${language}\n${code}\n\`\`\`\n\nAfter it.`} />);
  const nodes = await highlight(code, language).catch(() => null);
  expect(levelsOf(nodes ?? [])).toBeLessThan(16);
  await expect.element(screen.getByText('After it.')).toBeVisible();
  await expect.poll(() => screen.container.querySelector('pre code')?.textContent).toBe(code);
  expect(depthOf(screen.container)).toBeLessThan(40);
  await screen.unmount();
}

function levelsOf(nodes: readonly HighlightNode[]): number {
  return Math.max(0, ...nodes.map((node) => (typeof node === 'string' ? 1 : 1 + levelsOf(node.children))));
}

test('a link with very many words is drawn at once, and says where it leads', async () => {
  const began = performance.now();
  expect(claimsOtherHost('a'.repeat(1_000_000), 'example.com')).toBe(false);
  expect(claimsOtherHost('a.'.repeat(500_000), 'example.com')).toBe(false);
  expect(claimsOtherHost(`${'a-'.repeat(100_000)} bank.test`, 'example.com')).toBe(true);
  expect(performance.now() - began).toBeLessThan(3_000);
  expect(claimsOtherHost('see www.example.com', 'www.example.com')).toBe(false);
});

test('what cannot be drawn is plain text, and what stands next to it is drawn', async () => {
  const screen = await render(
    <>
      <TextBoundary text={'The words **as written**'}>
        <Broken />
      </TextBoundary>
      <Markdown text="The next message." />
    </>,
  );
  await expect.element(screen.getByText('The words **as written**')).toBeVisible();
  await expect.element(screen.getByText('The next message.')).toBeVisible();
});

function Broken(): never {
  throw new RangeError('too much');
}

/** The least time of a few attempts counts: other work on the machine can only add to it. */
const ATTEMPTS = 8;
/** Below this, differences are those of the clock and of code that is not compiled yet. */
const NEGLIGIBLE_MS = 10;

/**
 * Whether one text of eight times the length takes much longer than the short one eight times. Both take the same time
 * if time is proportional to length; the long one takes eight times as long if it grows with the square.
 */
function isOutOfProportion(short: string, long: string): boolean {
  let shortMs = Number.POSITIVE_INFINITY;
  let longMs = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    shortMs = Math.min(shortMs, timeToRead(Array.from({ length: 8 }, () => short)));
    longMs = Math.min(longMs, timeToRead([long]));
    if (longMs <= 3 * Math.max(shortMs, NEGLIGIBLE_MS)) return false;
  }
  return true;
}

function timeToRead(texts: readonly string[]): number {
  const began = performance.now();
  for (const text of texts) new IncrementalLexer().lex(text);
  return performance.now() - began;
}

/** Formulas by their source, as drawing them takes a moment, and without marks for what cannot be seen. */
function wordsIn(container: Element): string {
  const copy = container.cloneNode(true) as Element;
  for (const drawing of copy.querySelectorAll('.formula-drawing, .unseen')) drawing.remove();
  return copy.textContent;
}

/** Without what is Markdown, TeX or HTML. */
function lettersOf(text: string): string {
  return text.replaceAll(/[^a-z]/gi, '');
}

function depthOf(element: Element): number {
  let level: Element[] = [element];
  let depth = 0;
  for (; level.length > 0; depth++) level = level.flatMap((one) => [...one.children]);
  return depth;
}

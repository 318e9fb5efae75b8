import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readMentions } from '../../server/delegation/who-answers.ts';

const AGENTS = ['bob', 'alice', 'wisp/concierge', 'gpt-4.1', 'Jürgen'];

/** As a caller may decide: by id, or by what comes after the last slash. */
function known(name: string): string | null {
  const wanted = name.toLowerCase();
  return (
    AGENTS.find((id) => id === name) ??
    AGENTS.find((id) => id.toLowerCase() === wanted || id.toLowerCase().endsWith(`/${wanted}`)) ??
    null
  );
}

const read = (text: string) => readMentions(text, known);
const nobody = { names: [], all: false, unknown: [] };

describe('a message', () => {
  test.each([
    ['@bob hello', ['bob']],
    ['  \n@bob hello', ['bob']],
    ['@bob', ['bob']],
    ['@Bob, hello', ['bob']],
    ['@bob: hello', ['bob']],
    ['@bob. Hello', ['bob']],
    ['@bob... hello', ['bob']],
    ['@bob! @alice is not meant', ['bob']],
    ['@bob: @alice is not meant', ['bob']],
    ['@bob? Yes', ['bob']],
    ['@bob — hello', ['bob']],
    ['@wisp/concierge hello', ['wisp/concierge']],
    ['@concierge hello', ['wisp/concierge']],
    ['@gpt-4.1. Hello', ['gpt-4.1']],
    ['@jürgen hallo', ['Jürgen']],
    ['@bob @alice hello', ['bob', 'alice']],
    ['@bob, @alice hello', ['bob', 'alice']],
    ['@bob,@alice hello', ['bob', 'alice']],
    ['@bob and @alice: hello', ['bob', 'alice']],
    ['@bob, @alice, and @concierge, hello', ['bob', 'alice', 'wisp/concierge']],
    ['@bob\n@alice\nhello', ['bob', 'alice']],
    ['@bob @BOB @alice @bob hello', ['bob', 'alice']],
    ['@bob and tell @alice', ['bob']],
    ['@bob hello @alice', ['bob']],
  ])('%j is addressed to %j', (text, names) => {
    expect(read(text)).toEqual({ ...nobody, names });
  });

  test.each([
    ['hello @bob'],
    ['`@bob` hello'],
    ['```\n@bob\n```'],
    ['> @bob hello'],
    ['me@bob.com'],
    ['@bob@server.org hello'],
    ['@alice@bob'],
    ["@bob's plan is good"],
    ['@bob’s plan is good'],
    ['@ bob'],
    ['@'],
    ['@@bob'],
    ['@-bob'],
    ['(@bob) hello'],
    [''],
    [`@${'b'.repeat(129)} hello`],
  ])('%j is addressed to nobody', (text) => {
    expect(read(text)).toEqual(nobody);
  });

  test.each([
    ['@nobody hello', { names: [], unknown: ['nobody'] }],
    ['@nobody. Hello', { names: [], unknown: ['nobody'] }],
    ['@nobody @bob hello', { names: [], unknown: ['nobody'] }],
    ['@bob, @nobody and @alice hello', { names: ['bob'], unknown: ['nobody'] }],
    ['@bob hello @nobody', { names: ['bob'], unknown: [] }],
    ['@bob @all @nobody', { names: ['bob'], all: true, unknown: ['nobody'] }],
    ['@all hello', { names: [], all: true, unknown: [] }],
    ['@All: hello', { names: [], all: true, unknown: [] }],
    ['@all, @bob hello', { names: ['bob'], all: true, unknown: [] }],
    ['@all. Hello', { names: [], all: true, unknown: [] }],
    ['@allison hello', { names: [], unknown: ['allison'] }],
  ])('%j: %j', (text, expected) => {
    expect(read(text)).toEqual({ ...nobody, ...expected });
  });
});

const name = fc.constantFrom('bob', 'alice', 'wisp/concierge', 'CONCIERGE', 'gpt-4.1');
const separator = fc.constantFrom(' ', ', ', ',', ' and ', ', and ', '\n', '  ', ' , ');
const rest = fc.constantFrom('', ' hello', ', hello', ': @alice', '. @bob', '! yes', ' and so on', '\n\nhello @bob');

test('any list of known names is read whole, in order, each name once', () => {
  fc.assert(
    fc.property(fc.array(name, { minLength: 1, maxLength: 6 }), fc.array(separator), rest, (named, separators, end) => {
      const list = named.map((one, at) => `${at === 0 ? '' : (separators[at] ?? ' ')}@${one}`).join('');
      expect(read(list + end)).toEqual({ ...nobody, names: [...new Set(named.map(known))] });
    }),
    { numRuns: 2000 },
  );
});

test('any text gives agents there are, each once, and none that it does not begin with', () => {
  const piece = fc.oneof(
    fc.constantFrom('@', '@bob', '@alice', '@all', '@eve', ' ', ', ', ' and ', '.', '\n', '`', '> '),
    fc.string({ maxLength: 4 }),
  );
  const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(text, (said) => {
      const { names, all, unknown } = read(said);
      for (const one of names) expect(AGENTS).toContain(one);
      expect(new Set(names).size).toBe(names.length);
      expect(unknown.length).toBeLessThanOrEqual(1);
      for (const one of unknown) expect(known(one)).toBeNull();
      if (!said.trimStart().startsWith('@')) expect({ names, all, unknown }).toEqual(nobody);
    }),
    { numRuns: 2000 },
  );
});

test('a megabyte of names costs no more than it is long', () => {
  let [asked, longest] = [0, 0];
  const counting = (one: string) => {
    asked += 1;
    longest = Math.max(longest, one.length);
    return known(one);
  };
  for (const text of ['@bob '.repeat(200_000), '@'.repeat(1e6), `@${'a'.repeat(1e6)}`, `@bob${'.'.repeat(1e6)}`]) {
    readMentions(text, counting);
    expect(asked).toBeLessThanOrEqual(200_010);
    asked = 0;
  }
  expect(longest).toBeLessThanOrEqual(128);
  expect(readMentions(`@bob${' '.repeat(1e6)}x`, counting).names).toEqual(['bob']);
});

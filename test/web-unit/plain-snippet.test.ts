import { expect, test } from 'vitest';
import { plainPieces, plainSnippet } from '../../web/markdown/plain-snippet.tsx';

test.each([
  ['# Title Some **words** and `code`', 'Title Some words and code'],
  ['> quoted - one - two', 'quoted one two'],
  ['See [the docs](https://example.com) and ![a picture](x.png)', 'See the docs and a picture'],
  ['1. **Who** does it?', 'Who does it?'],
  ['snake_case stays, 2 * 3 keeps its sense, C# and x > y-1', 'snake_case stays, 2 * 3 keeps its sense, C# and x y-1'],
  ['```ts const x = 1 ``` ~~old~~ --- new', 'const x = 1 old new'],
  ['| Step | Owner | | --- | --- | | one | Ann |', 'Step Owner one Ann'],
  ['…docs](https://example.com/a) and [more](https://exam…', '…docs and more'],
  ['We meet on 12. March. 3. May is free', 'We meet on 12. March. 3. May is free'],
  ['* a^2 + b^2', 'a^2 + b^2'],
  ['', ''],
])('the line under a session shows %j as %j', (markdown, plain) => {
  expect(plainSnippet(markdown)).toBe(plain);
});

test('a line of nothing but openings is read at once', () => {
  const before = performance.now();
  plainSnippet('['.repeat(20_000));
  plainSnippet('![](('.repeat(20_000));
  expect(performance.now() - before).toBeLessThan(500);
});

test.each([
  ['the **plan** for `friday`', 'plan', 'the [plan] for friday'],
  ['## Release **plan', 'Release **plan', '[Release plan]'],
  ['see [the plan](https://plan.example) first', 'plan', 'see the [plan] first'],
  ['- milk - **bread**', 'bread', 'milk [bread]'],
])('of %j a search for %j shows %j', (markdown, found, shown) => {
  const start = markdown.indexOf(found);
  const pieces = plainPieces(markdown, [{ start, end: start + found.length }]);
  expect(pieces.map(({ text, isMatch }) => (isMatch ? `[${text}]` : text)).join('')).toBe(shown);
});

test('characters that reorder or hide others are shown instead of obeyed', () => {
  const shown = plainSnippet('a \u202egnp.exe\u202c b');
  expect(shown).not.toMatch(/[\u202a-\u202e]/);
  expect(shown).toContain('gnp.exe');
});

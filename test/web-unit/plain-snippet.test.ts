import { expect, test } from 'vitest';
import { plainSnippet } from '../../web/markdown/plain-snippet.ts';

test.each([
  ['# Title Some **words** and `code`', 'Title Some words and code'],
  ['> quoted - one - two', 'quoted one two'],
  ['See [the docs](https://example.com) and ![a picture](x.png)', 'See the docs and a picture'],
  ['1. **Who** does it?', 'Who does it?'],
  ['snake_case stays, 2 * 3 keeps its sense, C# and x > y-1', 'snake_case stays, 2 3 keeps its sense, C# and x y-1'],
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

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { quoteText } from '../../server/sessions/export-markdown.ts';
import { conversations, lines } from './conversations.ts';
import { markdownExport } from './exporting.ts';
import { StoredSessions } from './stored-sessions.ts';

let stored: StoredSessions;

beforeAll(async () => {
  stored = await StoredSessions.open();
});

afterAll(() => stored[Symbol.asyncDispose]());

describe('Markdown', () => {
  test('names every speaker, marks what was interrupted or archived, and shows other branches', async () => {
    const at = Date.parse('2026-01-10T10:00:00Z');
    const { session } = await stored.add(
      { name: 'My *week*', agentId: 'wisp/concierge' },
      [
        { text: 'Hello\n\n# big', at },
        { by: 'wisp/concierge', text: 'Old answer', at },
        { by: 'wisp/scheduler', guest: true, interrupted: true, text: 'New ans', after: 0, at },
        { by: null, text: 'From before names', at },
      ],
      [{ upto: 0, summary: 'They greeted.' }],
    );
    const text = await markdownExport(stored, session.id);
    const time = '2026-01-10T10:00:00.000Z';
    expect(text).toContain('# My \\*week\\*\n\n- Session: ');
    expect(text).toContain('- Messages: 3, and 1 on other branches\n');
    expect(text).toContain(
      `## User · #1 · ${time} · archived\n\n> Hello\n> \n> # big\n\n---\n\n*1 earlier message is archived`,
    );
    expect(text).toContain('\n\n> They greeted.\n\n---\n\n');
    expect(text).toContain(`## wisp/scheduler (guest) · #3 · ${time} · interrupted\n\nNew ans\n\n`);
    expect(text).toContain(`## Assistant · #4 · ${time}\n\nFrom before names\n\n`);
    expect(text).toContain(`# Other branches\n\n## wisp/concierge · #2 · ${time} · after #1\n\nOld answer\n\n`);
  });

  test('calls agents by their display names, with the id where two are called alike', async () => {
    const { session } = await stored.add({ agentId: 'a/one' }, [
      { by: 'a/one', text: 'first' },
      { by: 'b/two', text: 'second' },
      { by: 'c/three', text: 'third' },
      { by: 'gone', text: 'fourth' },
      { by: 'user', text: 'fifth' },
    ]);
    const names: Record<string, string> = { 'a/one': 'Scout', 'b/two': 'scout', 'c/three': 'Clerk' };
    const text = await markdownExport(stored, session.id, (id) => names[id]);
    const headings = Array.from(text.matchAll(/^## (.*?) · #/gm), ([, name]) => name);
    expect(headings).toEqual(['Scout \\(a/one\\)', 'scout \\(b/two\\)', 'Clerk', 'gone', 'agent \\"user\\"']);
    expect(text).toContain('- Agents: Scout \\(a/one\\), scout \\(b/two\\), Clerk \\(c/three\\), gone, agent');
  });

  test.each([
    ['prose, lists and small headings', 'See:\n\n- one\n- two\n\n### Notes\n\nok < 3', false],
    ['code, comments in it included', 'Run\n\n```sh\n# not a heading\nls\n```\n', false],
    ['a heading of the level that names speakers', 'x\n\n## User · #9 · 2026', true],
    ['an underlined heading', 'User · #9\n---', true],
    ['HTML', 'a <b>bold</b> word', true],
    ['a fence that is not closed', '```\nx', true],
  ])('quotes only what could be taken for a speaker or reach beyond itself: %s', async (_, said, isQuoted) => {
    const { session } = await stored.add({}, [{ text: said }]);
    const text = await markdownExport(stored, session.id);
    expect(text.includes(`\n\n${said}\n\n`)).toBe(!isQuoted);
    expect(text.includes('\n> ')).toBe(isQuoted);
  });

  test('nothing that was said, and no name, can look like a line that says who speaks', async () => {
    await fc.assert(
      fc.asyncProperty(conversations, fc.oneof(lines(), fc.string()), async ({ said, summaries }, title) => {
        const name = title.trim().slice(0, 200) || 'x';
        const { session } = await stored.add({ name, folder: name }, said, summaries);
        const text = await markdownExport(stored, session.id);
        await stored.remove(session.id);
        const headings = headingsIn(text);
        expect(headings.filter((line) => line.startsWith('## '))).toHaveLength(said.length);
        for (const line of headings)
          expect(line).toMatch(/^(# |## (User|Assistant|wisp\/\w+|a\\_b|agent \\"user\\")( \(guest\))? · #\d+ · )/);
        for (const message of said) if (message.text) expect(`${text}${unquote(text)}`).toContain(message.text);
      }),
      { numRuns: 60 },
    );
  });

  /** What a viewer shows as a first- or second-level heading outside quotations and closed code. */
  function headingsIn(text: string): string[] {
    const all = text.split(/\r\n|[\n\r\u0085\u2028\u2029\v\f]/);
    let fence: string | undefined;
    return all.filter((line) => {
      const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
      if (mark && (fence === undefined || mark.startsWith(fence))) fence = fence === undefined ? mark : undefined;
      return fence === undefined && /^\s{0,3}#{1,2}(\s|$)/.test(line);
    });
  }

  function unquote(text: string): string {
    return text.replace(/(^|\r\n|[\n\r\u0085\u2028\u2029\v\f])> /g, '$1');
  }

  test('HTML that a viewer might obey is shown as code, unless it already is', () => {
    expect(quoteText('a </blockquote> b')).toBe('> ```\n> a </blockquote> b\n> ```\n\n');
    expect(quoteText('```html\n<b>\n```\nok < 3 <https://x.y>')).not.toContain('````');
    for (const text of ['```\n<b>', '~~~ x\n<b>\n~~~']) expect(quoteText(text)).not.toContain('> ```\n> ~~~');
    for (const trick of [
      ' ```\n<b>\n```',
      '- ```\n```\n<b>',
      '``` a`b\n<b>',
      '```\n```\n<!-- x',
      '\u2028```\n<b>',
      'x\n~~~\n```\n~~~\n<?x',
    ]) {
      expect(quoteText(trick)).toMatch(/^> (`{3,})\n/);
      expect(quoteText(trick)).toMatch(/\n> `{3,}\n\n$/);
    }
    expect(quoteText('`````\n`````\n</b>')).toMatch(/^> ``````\n/);
  });
});

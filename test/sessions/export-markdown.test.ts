import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exportMarkdown } from '../../server/sessions/export.ts';
import { quoteText } from '../../server/sessions/export-quote.ts';
import { Sessions } from '../../server/sessions/sessions.ts';
import { conversations, lines } from './conversations.ts';
import { OWNER, StoredSessions } from './stored-sessions.ts';

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
    const text = await exportMarkdown(stored.log.db, OWNER, session.id);
    const time = '2026-01-10T10:00:00.000Z';
    expect(text).toContain('# My \\*week\\*\n\n- Session: ');
    expect(text).toContain('- Messages: 3, and 1 on other branches\n');
    expect(text).toContain(`**User** · #1 · ${time} · archived\n\n> Hello\n> \n> # big\n\n---\n\n*1 earlier messages`);
    expect(text).toContain('\n\n> They greeted.\n\n---\n\n');
    expect(text).toContain(`**wisp/scheduler** (guest) · #3 · ${time} · interrupted\n\n> New ans\n\n`);
    expect(text).toContain(`**Assistant** · #4 · ${time}\n\n> From before names\n\n`);
    expect(text).toContain(`## Other branches\n\n**wisp/concierge** · #2 · ${time} · after #1\n\n> Old answer\n\n`);
  });

  test('nothing that was said, and no name, can look like a line that says who speaks', async () => {
    await fc.assert(
      fc.asyncProperty(conversations, fc.oneof(lines(), fc.string()), async ({ said, summaries }, title) => {
        const name = title.trim().slice(0, 200) || 'x';
        const { session } = await stored.add({ name, folder: name }, said, summaries);
        const text = await exportMarkdown(stored.log.db, OWNER, session.id);
        await new Sessions(stored.log).delete(OWNER, session.id);
        const speaking = text
          .split(/\r\n|[\n\r\u0085\u2028\u2029\v\f]/)
          .filter((line) => /^\s*\**(User|Assistant|wisp|a_b|a\\_b|user)/.test(line));
        expect(speaking).toHaveLength(said.length);
        const ours = text.split(/\r\n|[\n\r\u0085\u2028\u2029\v\f]/).filter((line) => line && !line.startsWith('> '));
        for (const line of ours)
          expect(line).toMatch(/^(# |- [A-Z]\w+( agent)?: |\*\*|---$|\*\d+ earlier messages|## Other branches$)/);
        for (const message of said) if (message.text) expect(unquote(text)).toContain(message.text);
      }),
      { numRuns: 60 },
    );
  });

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

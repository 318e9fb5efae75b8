import { describe, expect, it } from 'vitest';
import { ConnectionError } from '../../client/connection-error.ts';
import { AppError } from '../../contract/errors.ts';
import type { SharedMessage } from '../../contract/shares.ts';
import { isOnlyHere, linkOf, shareProblem } from '../../web/features/shares/link-of.ts';
import { heightOf, inBlocks, toSharedRows } from '../../web/pages/shared/shared-rows.ts';
import { stateOf, tokenIn } from '../../web/pages/shared/use-reading.ts';
import { en } from '../harness/words.ts';

function message(more: Partial<SharedMessage>): SharedMessage {
  const by = { role: 'assistant', agent: 'ada', name: 'Ada', look: null, guest: false } as const;
  return { ...by, text: 'words', parts: [], createdAt: '2026-03-01T12:00:00.000Z', ...more };
}

const share = { id: 's1', sessionId: 'x', title: 'Beans', toolDetails: false, createdAt: '2026-03-01T12:00:00.000Z' };

describe('a link', () => {
  it('begins with the address at which the page was opened, also behind a proxy', () => {
    const link = { ...share, url: 'http://parley.example/s/abc' };
    expect(linkOf(link, 'https://parley.example')).toBe('https://parley.example/s/abc');
    expect(linkOf(link, 'http://127.0.0.1:4747')).toBe('http://127.0.0.1:4747/s/abc');
  });

  it('works on this machine only when that is where the page was opened', () => {
    for (const host of ['localhost', '127.0.0.1', '127.8.8.8', '[::1]', 'parley.localhost'])
      expect([host, isOnlyHere(host)]).toEqual([host, true]);
    for (const host of ['parley.example', '192.168.1.4', 'localhost.example', '10.127.0.0', 'my127.0.0.1.example'])
      expect([host, isOnlyHere(host)]).toEqual([host, false]);
  });

  it('ends with a token, however it is written', () => {
    expect(tokenIn('/s/abc-_1')).toBe('abc-_1');
    expect(tokenIn('/s/abc/')).toBe('abc');
    expect(tokenIn('/s/a%20b')).toBe('a b');
    expect(tokenIn('/s/%zz')).toBe('%zz');
  });

  it('that leads nowhere is not mistaken for a server that cannot be reached', () => {
    expect(stateOf(new AppError('share_not_found', ''))).toBe('nowhere');
    expect(stateOf(new AppError('invalid_request', ''))).toBe('nowhere');
    expect(stateOf(new AppError('overloaded', ''))).toBe('failed');
    expect(stateOf(new AppError('too_many_streams', ''))).toBe('failed');
    expect(stateOf(new ConnectionError('http://x', null))).toBe('failed');
  });
});

describe('what kept a link from being made', () => {
  it('is said with what to do about it', () => {
    expect(shareProblem(new AppError('share_too_large', 'bytes'))).toBe(en['share.tooLarge']);
    expect(shareProblem(new AppError('session_busy', 'busy'))).toBe(en['share.changed']);
    expect(shareProblem(new AppError('storage_full', 'The disk is full.'))).toBe('The disk is full.');
    expect(shareProblem(new ConnectionError('http://x', null))).toBe(en['share.unreachable']);
  });
});

describe('the rows of a copy', () => {
  it('say the day when it is another', () => {
    const days = toSharedRows([
      message({}),
      message({ createdAt: '2026-03-01T12:30:00.000Z' }),
      message({ createdAt: '2026-03-04T12:00:00.000Z' }),
    ]).map(({ day }) => day);
    expect(days).toEqual(['2026-03-01T12:00:00.000Z', null, '2026-03-04T12:00:00.000Z']);
  });

  it('say who gave the work that somebody answers, by the name they had', () => {
    const given = message({
      role: 'delegation',
      parts: [{ type: 'delegation', from: 'The Boss', to: 'Ada', state: 'complete' }],
    });
    const rows = toSharedRows([message({ agent: 'boss', name: 'The Boss' }), given, message({}), message({})]);
    expect(rows.map(({ subAgentOf }) => subAgentOf)).toEqual([null, null, 'The Boss', null]);
    expect(toSharedRows([given, message({})])[1]!.subAgentOf).toBe('The Boss');
    expect(toSharedRows([given, message({ agent: 'eve' })])[1]!.subAgentOf).toBeNull();
  });

  it('are drawn in blocks, of which longer ones are taller', () => {
    const rows = toSharedRows([message({}), message({ text: 'word '.repeat(400) }), message({})]);
    expect(inBlocks(rows, 2).map((block) => block.map(({ key }) => key))).toEqual([[0, 1], [2]]);
    expect(heightOf(rows.slice(1, 2))).toBeGreaterThan(3 * heightOf(rows.slice(0, 1)));
  });
});

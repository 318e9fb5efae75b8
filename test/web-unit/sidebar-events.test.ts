import { describe, expect, it } from 'vitest';
import type { SessionEvent } from '../../contract/events.ts';
import { afterEvent } from '../../web/live/frames.ts';
import { session } from './sidebar-fixtures.ts';

describe('what a list knows of a session, after an event', () => {
  const at = '2026-01-02T00:00:00.000Z';
  const answered = (seq: number) =>
    ({
      type: 'message.created',
      sessionId: 's',
      seq,
      position: seq,
      at,
      message: { id: 'm', role: 'assistant', agent: 'coder', text: 'Done.' },
    }) as unknown as SessionEvent;

  it('counts what is new', () => {
    const before = session('s', { lastSeq: 4, unreadCount: 1 });
    expect(afterEvent(before, answered(5))).toMatchObject({ unreadCount: 2, lastSeq: 5, lastSnippet: 'Done.' });
  });

  it('does not count again what the server had counted when it was asked', () => {
    const before = session('s', { lastSeq: 5, unreadCount: 2 });
    expect(afterEvent(before, answered(5))).toBe(before);
  });

  it('does not go back to what the session was before', () => {
    const now = session('s', { lastSeq: 9, title: 'New name' });
    const old = session('s', { lastSeq: 8, title: 'Old name' });
    const event = { type: 'session.updated', sessionId: 's', seq: 8, position: 8, at, session: old } as SessionEvent;
    expect(afterEvent(now, event)?.title).toBe('New name');
  });
});

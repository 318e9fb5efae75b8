import { describe, expect, it } from 'vitest';
import type { Action } from '../../contract/actions.ts';
import type { Session } from '../../contract/sessions.ts';
import { wantOf } from '../../web/features/sidebar/wants.ts';
import { countWorking, sessionsInNeed } from '../../web/state/needs.ts';
import { toSections } from '../../web/state/order.ts';
import { approval, byId, NOBODY, session } from './sidebar-fixtures.ts';

const chain = [
  { agentId: 'lead', turnId: 't1', sessionId: 'root' },
  { agentId: 'coder', turnId: 't2', sessionId: 'child' },
];

type Known<T> = ReadonlyMap<string, T>;

function countNeeds(sessions: Known<Session>, actions: Known<Action>, hidden: ReadonlySet<string>): number {
  return sessionsInNeed(sessions, actions, hidden).length;
}

describe('how many sessions need the person', () => {
  it('counts a conversation once, however much it asks and wherever', () => {
    const sessions = byId(session('root'), session('child'));
    const actions = byId(approval('a', 'child', { chain }), approval('b', 'child', { chain }), approval('c', 'root'));
    expect(countNeeds(sessions, actions, NOBODY)).toBe(1);
  });

  it('counts work that failed or waits, not work that goes on', () => {
    const work = (id: string, status: 'working' | 'waiting' | 'error') =>
      session(id, { type: 'tool-execution', status });
    const sessions = byId(work('a', 'error'), work('b', 'waiting'), work('c', 'working'), session('d'));
    expect(countNeeds(sessions, byId(), NOBODY)).toBe(2);
  });

  it('does not count work twice that asks on behalf of a conversation', () => {
    const child = session('child', { type: 'tool-execution', status: 'waiting' });
    expect(countNeeds(byId(session('root'), child), byId(approval('a', 'child', { chain })), NOBODY)).toBe(1);
  });

  it('agrees with the rows that are listed: one for what a delegate asks, at the session the person began', () => {
    const sessions = byId(session('root'), session('middle'), session('child', { status: 'waiting' }));
    const links = ['root', 'middle', 'child'].map((id) => ({ agentId: id, turnId: id, sessionId: id }));
    const actions = byId(approval('a', 'child', { chain: links }));
    expect(toSections({ sessions, actions, hidden: NOBODY }).required).toEqual(['root']);
    expect(countNeeds(sessions, actions, NOBODY)).toBe(1);
  });

  it('lists work that only goes on, but does not count it', () => {
    const work = (id: string, status: 'working' | 'error') => session(id, { type: 'tool-execution', status });
    const listed = { sessions: byId(work('busy', 'working'), work('failed', 'error')), actions: byId<Action>() };
    const { required, needed } = toSections({ ...listed, hidden: NOBODY });
    expect(required).toEqual(['failed', 'busy']);
    expect(needed).toBe(1);
    expect(countNeeds(listed.sessions, listed.actions, NOBODY)).toBe(needed);
  });

  it('puts approvals first, then what has waited longest', () => {
    const sessions = byId(session('question'), session('late'), session('early'));
    const actions = byId(
      approval('a', 'question', { kind: 'question', approval: null, createdAt: '2026-01-01T00:00:00Z' }),
      approval('b', 'late', { createdAt: '2026-01-03T00:00:00Z' }),
      approval('c', 'early', { createdAt: '2026-01-02T00:00:00Z' }),
    );
    expect(sessionsInNeed(sessions, actions, NOBODY).map(({ id }) => id)).toEqual(['early', 'late', 'question']);
    expect(toSections({ sessions, actions, hidden: NOBODY }).required).toEqual(['early', 'late', 'question']);
  });

  it('puts what an agent asks before what went wrong, also within one session', () => {
    const failure = {
      kind: 'failure',
      approval: null,
      failure: { code: 'internal_error', message: 'exit 2' },
    } as const;
    const early = { createdAt: '2026-01-01T00:00:00Z' };
    const sessions = byId(session('failed'), session('both'));
    const actions = byId(
      approval('a', 'failed', { ...failure, ...early }),
      approval('b', 'both', { ...failure, ...early }),
      approval('c', 'both', { createdAt: '2026-01-02T00:00:00Z' }),
    );
    expect(sessionsInNeed(sessions, actions, NOBODY).map(({ id }) => id)).toEqual(['both', 'failed']);
    expect(toSections({ sessions, actions, hidden: NOBODY }).required).toEqual(['both', 'failed']);
  });

  it('lets the failure of an archived session rest, but not what an agent waits for in it', () => {
    const archivedAt = '2026-01-02T00:00:00Z';
    const sessions = byId(session('failed', { archivedAt }), session('asks', { archivedAt }));
    const actions = byId({ ...approval('a', 'failed'), kind: 'failure' as const }, approval('b', 'asks'));
    expect(countNeeds(sessions, actions, NOBODY)).toBe(1);
    const { required, needed, archived } = toSections({ sessions, actions, hidden: NOBODY });
    expect({ required, needed, archived }).toEqual({ required: ['asks'], needed: 1, archived: ['failed'] });
  });

  it('does not count a session that was made to try an agent out', () => {
    const scratch = session('scratch', { attributes: { scratch: true } });
    expect(countNeeds(byId(scratch), byId(approval('a', 'scratch')), NOBODY)).toBe(0);
    const below = session('below', { delegatedFrom: 'scratch' });
    const further = session('further', { delegatedFrom: 'below', type: 'tool-execution', status: 'error' });
    const all = byId(scratch, below, further);
    expect(countNeeds(all, byId(approval('a', 'below')), NOBODY)).toBe(0);
    const { required, delegated } = toSections({ sessions: all, actions: byId(), hidden: NOBODY });
    expect([...required, ...delegated]).toEqual([]);
  });

  it('does not count what is about to be deleted', () => {
    const failed = session('failed', { type: 'tool-execution', status: 'error' });
    const actions = byId(approval('a', 'asks'));
    expect(countNeeds(byId(failed, session('asks')), actions, new Set(['failed', 'asks']))).toBe(0);
  });
});

describe('how many sessions are worked in', () => {
  it('counts work once, where it was asked for, and work that goes on by itself', () => {
    const status = 'working';
    const sessions = byId(
      session('asks', { status }),
      session('helps', { status, delegatedFrom: 'asks' }),
      session('alone', { status, delegatedFrom: 'done' }),
      session('done'),
    );
    expect(countWorking(sessions, NOBODY)).toBe(2);
    expect(countWorking(sessions, new Set(['alone']))).toBe(1);
  });
});

describe('the line that says what is wanted', () => {
  it('names the tool that waits for approval, and who asks', () => {
    expect(wantOf(session('root'), approval('a', 'child', { chain }))).toEqual({
      key: 'sidebar.wants.approval',
      values: { tool: 'bash' },
      agentId: 'coder',
    });
  });

  it('tells the question', () => {
    const action = approval('a', 's', { kind: 'question', approval: null, question: { question: 'Which one?' } });
    expect(wantOf(session('s'), action)).toMatchObject({
      key: 'sidebar.wants.question',
      values: { question: 'Which one?' },
    });
  });

  it('tells why something failed', () => {
    const failure = { code: 'internal_error', message: 'exit 2' };
    const action = approval('a', 's', { kind: 'failure', approval: null, failure });
    expect(wantOf(session('s'), action)).toMatchObject({
      key: 'sidebar.wants.failure',
      values: { message: 'exit 2' },
    });
  });

  it('says what work is doing, and nothing of a conversation that wants nothing', () => {
    const work = session('w', { type: 'tool-execution', status: 'working', lastSnippet: 'Building' });
    expect(wantOf(work, undefined)).toMatchObject({ key: 'sidebar.wants.working', values: { snippet: 'Building' } });
    expect(wantOf(session('s', { status: 'working' }), undefined)).toBeNull();
  });
});

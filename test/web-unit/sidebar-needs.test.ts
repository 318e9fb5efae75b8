import { describe, expect, it } from 'vitest';
import { countNeeds } from '../../web/sidebar/needs.ts';
import { wantOf } from '../../web/sidebar/wants.ts';
import { approval, byId, NOBODY, session } from './sidebar-fixtures.ts';

const chain = [
  { agentId: 'lead', turnId: 't1', sessionId: 'root' },
  { agentId: 'coder', turnId: 't2', sessionId: 'child' },
];

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

  it('does not count what is about to be deleted', () => {
    const failed = session('failed', { type: 'tool-execution', status: 'error' });
    const actions = byId(approval('a', 'asks'));
    expect(countNeeds(byId(failed, session('asks')), actions, new Set(['failed', 'asks']))).toBe(0);
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

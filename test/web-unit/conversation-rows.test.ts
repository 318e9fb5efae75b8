import { describe, expect, test } from 'vitest';
import type { Action } from '../../contract/actions.ts';
import { toRows } from '../../web/features/conversation/rows.ts';
import { askedElsewhere } from '../../web/state/needs.ts';
import { aCall, anAction } from '../harness/shapes.ts';
import { conversation, message, outgoing, turn } from './conversation-fixtures.ts';

const kinds = (rows: readonly { kind: string; key: string }[]) => rows.map(({ kind, key }) => `${kind} ${key}`);

describe('what is being sent', () => {
  test('stands at the end under its own id, with its words and files', () => {
    const files = [{ id: 'f', name: 'plan.png', bytes: 12, kind: 'image' as const, mediaType: 'image/png' }];
    const rows = toRows(conversation([message('a')]), [outgoing('b', { content: 'Look', files })]);
    expect(kinds(rows).slice(1)).toEqual(['message a', 'message b']);
    expect(rows.at(-1)).toMatchObject({
      isSending: true,
      message: {
        text: 'Look',
        role: 'user',
        agent: null,
        parts: [
          { type: 'text', text: 'Look' },
          { type: 'file', fileId: 'f', name: 'plan.png', kind: 'image' },
        ],
      },
    });
  });

  test('is there in an empty session, below its day', () => {
    expect(kinds(toRows(conversation([]), [outgoing('b')]))).toEqual(['day day Thu Jan 01 2026', 'message b']);
  });

  test('is there once when the conversation has it already, as what was stored', () => {
    const rows = toRows(conversation([message('a'), message('b')]), [outgoing('b')]);
    expect(kinds(rows).slice(1)).toEqual(['message a', 'message b']);
    expect(rows.at(-1)).toMatchObject({ isSending: false });
  });

  test('is the same row as long as nothing about it changes', () => {
    const one = outgoing('b');
    const state = conversation([message('a')]);
    expect(toRows(state, [one]).at(-1)).toBe(toRows({ ...state, status: 'working' }, [one]).at(-1));
  });
});

test('tokens make no row anew but that of who speaks', () => {
  const live = { turnId: 't', agentId: 'ada', guest: false, after: null, ahead: [], parts: [], retry: null };
  const state = conversation([message('a'), message('b')], { open: [live], live });
  const spoken = { ...live, parts: [{ part: 0, kind: 'text' as const, text: 'Hi' }] };
  const before = toRows(state);
  const after = toRows({ ...state, open: [spoken], live: spoken });
  expect(after.slice(0, -1).every((row, index) => row === before[index])).toBe(true);
  expect(after.at(-1)).toMatchObject({ kind: 'live', turn: spoken });
});

test('the first message has its day above it only when nothing earlier is left to load', () => {
  const state = conversation([message('a')]);
  expect(kinds(toRows(state, [], false))).toEqual(['message a']);
  expect(kinds(toRows(state, [], true))).toEqual(['day day Thu Jan 01 2026', 'message a']);
});

describe('turns that came to nothing', () => {
  const state = (...turns: ReturnType<typeof turn>[]) =>
    conversation([message('question'), message('said', { role: 'assistant', agent: 'ada' })], {
      turns: new Map(turns.map((one) => [one.id, one])),
    });
  const told = (...turns: ReturnType<typeof turn>[]) => kinds(toRows(state(...turns))).slice(1);

  test('are told after what they said, or else after what they were to answer', () => {
    expect(told(turn('t', { state: 'failed', answerId: 'said' }))).toEqual([
      'message question',
      'message said',
      'unfinished unfinished t',
    ]);
    expect(told(turn('t', { state: 'interrupted' }))).toEqual([
      'message question',
      'unfinished unfinished t',
      'message said',
    ]);
  });

  test('are not told when they were tried again, taken along by another, or are on another branch', () => {
    expect(told(turn('t', { state: 'failed' }), turn('u', { retryOf: 't' }))).toHaveLength(2);
    expect(told(turn('t', { state: 'cancelled', steeredInto: 'u' }))).toHaveLength(2);
    expect(told(turn('t', { state: 'failed', messageId: 'elsewhere' }))).toHaveLength(2);
  });

  test('are not told twice while the person is asked about them', () => {
    const failed = state(turn('t', { state: 'failed' }));
    const action = { id: 'x', turnId: 't', kind: 'failure', approval: null } as Action;
    const rows = toRows({ ...failed, actions: new Map([['x', action]]) });
    expect(kinds(rows).slice(1)).toEqual(['message question', 'message said', 'action x']);
  });

  test('were stopped by the person: told only when nothing was said', () => {
    expect(told(turn('t', { state: 'cancelled', answerId: 'said' }))).toHaveLength(2);
    expect(told(turn('t', { state: 'cancelled' }))).toHaveLength(3);
  });
});

describe('what is asked of the person', () => {
  const call = aCall({ id: 'c', state: 'waiting', actionId: 'x' });
  const live = {
    turnId: 't',
    agentId: 'ada',
    guest: false,
    after: null,
    ahead: [],
    retry: null,
    parts: [{ part: 0, kind: 'call' as const, call, progress: null }],
  };
  const waiting = (action: Action) =>
    conversation([message('a')], { open: [live], live, actions: new Map([[action.id, action]]) });

  test.each(['approval', 'question'] as const)(
    'by a call that is shown: the %s stands there and nowhere else',
    (kind) => {
      const rows = toRows(waiting(anAction({ id: 'x', kind })));
      expect(kinds(rows).slice(1)).toEqual(['message a', 'live live t']);
    },
  );

  test.each(['approval', 'question'] as const)(
    'by a call that has not arrived yet: the %s stands at the end',
    (kind) => {
      const rows = toRows(waiting(anAction({ id: 'y', kind })));
      expect(kinds(rows).slice(1)).toEqual(['message a', 'live live t', 'action y']);
    },
  );

  test('in another session on behalf of this one is shown in every session of its chain', () => {
    const chain = ['root', 'middle', 'child'].map((sessionId) => ({
      agentId: sessionId,
      turnId: sessionId,
      sessionId,
    }));
    const action = anAction({ id: 'z', sessionId: 'child', chain });
    const failure = anAction({ id: 'f', kind: 'failure', sessionId: 'child', chain });
    const actions = new Map([action, failure].map((one) => [one.id, one]));
    for (const id of ['root', 'middle']) expect(askedElsewhere(actions, id)).toEqual([action]);
    for (const id of ['child', 'other']) expect(askedElsewhere(actions, id)).toEqual([]);
    expect(kinds(toRows(conversation([message('a')]), [], true, { askedElsewhere: [action] })).at(-1)).toBe('action z');
  });
});

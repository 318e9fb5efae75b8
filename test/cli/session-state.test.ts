import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type LivePart, liveCalls, liveText } from '../../client/live-turn.ts';
import { siblingsOf } from '../../client/message-tree.ts';
import {
  applyFrame,
  emptyState,
  fromSnapshot,
  isBusy,
  type SessionState,
  shownMessages,
} from '../../client/session-state.ts';
import type { SessionEvent, StreamFrame } from '../../contract/events.ts';
import { AT, anAction, aSession, aTurn } from '../harness/shapes.ts';
import { type Deed, ScriptedSession } from './scripted-session.ts';

/** What people and agents may do to a session, in any order; what is not possible at the moment is left out. */
const deeds = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant('send' as const), text: fc.string({ maxLength: 8 }) }),
    fc.record({
      do: fc.constant('speak' as const),
      text: fc.string({ minLength: 1, maxLength: 8 }),
      reasoning: fc.boolean(),
    }),
    fc.record({ do: fc.constantFrom('complete' as const, 'fail' as const, 'start' as const) }),
    fc.record({ do: fc.constantFrom('steer' as const, 'remove' as const, 'reorder' as const, 'reconnect' as const) }),
    fc.record({ do: fc.constantFrom('retry' as const, 'branch' as const, 'compact' as const, 'rename' as const) }),
    fc.record({ do: fc.constantFrom('call' as const, 'progress' as const, 'endCall' as const, 'call' as const) }),
    fc.record({ do: fc.constantFrom('ask' as const, 'answer' as const, 'handOver' as const, 'sendAway' as const) }),
    fc.record({ do: fc.constant('clear' as const) }),
  ),
  { maxLength: 60, size: 'max' },
);

function apply(frames: readonly StreamFrame[]): SessionState {
  return frames.reduce(applyFrame, emptyState('s'));
}

function isDurable(frame: StreamFrame): frame is SessionEvent {
  return 'seq' in frame;
}

/** What is being said at this moment, and how far a tool has come, is the one thing that a replay cannot know. */
function withoutWords(state: SessionState): SessionState {
  const open = state.open.map((live) => ({ ...live, parts: live.parts.flatMap(withoutProgress) }));
  return { ...state, open, live: open.at(-1) ?? null };
}

function withoutProgress(part: LivePart): LivePart[] {
  return part.kind === 'call' ? [{ ...part, progress: null }] : [];
}

function perform(...deeds: Deed[]): ScriptedSession {
  const session = new ScriptedSession();
  for (const deed of deeds) session.perform(deed);
  return session;
}

describe('the state of a session', () => {
  test('is the same whether it was watched live or replayed from the log, at every moment', () => {
    fc.assert(
      fc.property(deeds, (all) => {
        const session = new ScriptedSession();
        for (const deed of all) session.perform(deed);
        for (let upto = 0; upto <= session.frames.length; upto += 7) {
          const live = session.frames.slice(0, upto);
          expect(withoutWords(apply(live))).toEqual(withoutWords(apply(live.filter(isDurable))));
        }
        const watched = apply(session.frames);
        const replayed = apply(session.frames.filter(isDurable));
        expect(withoutWords(watched)).toEqual(withoutWords(replayed));
        if (!isBusy(watched)) expect(watched).toEqual(replayed);
        expect(watched.stale).toBe(false);
      }),
      { numRuns: 150 },
    );
  });

  test('takes every event once, however often it is delivered', () => {
    fc.assert(
      fc.property(deeds, fc.nat(), (all, at) => {
        const session = new ScriptedSession();
        for (const deed of all) session.perform(deed);
        const durable = session.frames.filter(isDurable);
        const from = at % (durable.length + 1);
        expect(apply([...durable, ...durable.slice(from)])).toEqual(apply(durable));
      }),
      { numRuns: 60 },
    );
  });

  test('shows live words as they will be stored, also when deltas overlap what a reconnection brought', () => {
    fc.assert(
      fc.property(deeds, (all) => {
        const session = new ScriptedSession();
        for (const deed of all) session.perform(deed);
        const { live } = apply(session.frames);
        if (live) expect(liveText(live)).toBe(session.spokenText);
        if (live) expect(liveCalls(live)).toEqual(session.calls);
      }),
      { numRuns: 100 },
    );
  });

  test('knows who is under way and what is asked, also where one speaks for another', () => {
    fc.assert(
      fc.property(deeds, (all) => {
        const session = perform(...all);
        const state = apply(session.frames);
        expect(state.open.map(({ turnId }) => turnId)).toEqual(session.openTurns);
        expect(state.live).toBe(state.open.at(-1) ?? null);
        expect([...state.actions.keys()]).toEqual(session.openActions);
        expect(state.status === 'waiting').toBe(session.openActions.length > 0);
      }),
      { numRuns: 100 },
    );
  });

  test('a delegate speaks while its orchestrator waits, who then goes on', () => {
    const session = perform({ do: 'send', text: 'what is on?' }, { do: 'speak', text: 'I ask.', reasoning: false });
    session.perform({ do: 'handOver' });
    session.perform({ do: 'speak', text: 'Three things.', reasoning: false });
    const during = apply(session.frames);
    expect(during.open.map(({ agentId }) => agentId)).toEqual(['a', 'b']);
    expect(during.live).toMatchObject({ agentId: 'b', parts: [{ text: 'Three things.' }] });
    expect([...during.delegations.values()]).toMatchObject([{ to: 'b', state: 'started' }]);
    session.perform({ do: 'complete' });
    session.perform({ do: 'speak', text: 'So: three.', reasoning: false });
    const after = apply(session.frames);
    expect(after.live).toMatchObject({ agentId: 'a', parts: [{ text: 'So: three.' }] });
    expect([...after.delegations.values()]).toMatchObject([{ to: 'b', state: 'complete' }]);
    expect(shownMessages(after)[2]?.parts).toMatchObject([{ type: 'delegation', state: 'complete' }]);
    expect(shownMessages(after).map(({ role, agent }) => [role, agent])).toEqual([
      ['user', null],
      ['assistant', 'a'],
      ['delegation', 'b'],
      ['assistant', 'b'],
    ]);
  });

  test('a call stands among the words where it was made, with how far it has come until it is over', () => {
    const session = perform({ do: 'send', text: 'add milk' }, { do: 'speak', text: 'One moment.', reasoning: false });
    session.perform({ do: 'call' });
    session.perform({ do: 'progress' });
    expect(apply(session.frames).live?.parts).toMatchObject([
      { kind: 'text', text: 'One moment.' },
      { kind: 'call', call: { name: 'lists_add', state: 'running' }, progress: { fraction: 0.5 } },
    ]);
    session.perform({ do: 'endCall' });
    session.perform({ do: 'speak', text: 'Done.', reasoning: false });
    expect(apply(session.frames).live?.parts).toMatchObject([
      { part: 0, text: 'One moment.' },
      { part: 1, call: { state: 'complete' }, progress: null },
      { part: 3, text: 'Done.' },
    ]);
  });

  test('that was asked for begins with who is under way, the innermost last, and with what is asked there', () => {
    const outer = aTurn({ id: 't1', state: 'waiting', startedAt: AT });
    const inner = aTurn({ id: 't2', state: 'running', parentTurnId: 't1', startedAt: AT });
    const over = aTurn({ id: 't0', state: 'complete', startedAt: AT, endedAt: AT });
    const actions = [anAction({ id: 'here' }), anAction({ id: 'elsewhere', sessionId: 'other' })];
    const state = fromSnapshot({ session: aSession(), messages: [], queue: [], turns: [inner, outer, over], actions });
    expect(state.open.map(({ turnId }) => turnId)).toEqual(['t1', 't2']);
    expect(state.live?.turnId).toBe('t2');
    expect([...state.actions.keys()]).toEqual(['here']);
  });

  test('a turn that is over does not come back with a late word of what it had said', () => {
    const session = perform({ do: 'send', text: 'hi' }, { do: 'speak', text: 'ho', reasoning: false });
    session.perform({ do: 'reconnect' });
    const late = session.frames.filter(({ type }) => type === 'turn.partial');
    session.perform({ do: 'complete' });
    expect(apply([...session.frames, ...late]).live).toBeNull();
  });

  test('notices that something was missed', () => {
    const session = new ScriptedSession();
    for (const text of ['a', 'b']) session.perform({ do: 'send', text });
    const [first, , ...rest] = session.frames.filter(isDurable);
    expect(apply([first!, ...rest]).stale).toBe(true);
    expect(apply([first!, { type: 'reset', position: 9 }]).stale).toBe(true);
  });

  test('keeps both answers of a retry as siblings and shows the newer one', () => {
    const session = new ScriptedSession();
    session.perform({ do: 'send', text: 'why?' });
    session.perform({ do: 'speak', text: 'because', reasoning: false });
    session.perform({ do: 'complete' });
    session.perform({ do: 'retry' });
    session.perform({ do: 'speak', text: 'no idea', reasoning: false });
    session.perform({ do: 'complete' });
    const state = apply(session.frames);
    const shown = shownMessages(state);
    expect(shown.map(({ text }) => text)).toEqual(['why?', 'no idea']);
    expect(siblingsOf(state.messages, shown[1]!)).toHaveLength(2);
  });
});

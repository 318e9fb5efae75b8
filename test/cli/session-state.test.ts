import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { liveText } from '../../client/live-turn.ts';
import { siblingsOf } from '../../client/message-tree.ts';
import { applyFrame, emptyState, isBusy, type SessionState, shownMessages } from '../../client/session-state.ts';
import type { SessionEvent, StreamFrame } from '../../contract/events.ts';
import { ScriptedSession } from './scripted-session.ts';

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
    fc.record({ do: fc.constant('clear' as const) }),
  ),
  { maxLength: 60 },
);

function apply(frames: readonly StreamFrame[]): SessionState {
  return frames.reduce(applyFrame, emptyState('s'));
}

function isDurable(frame: StreamFrame): frame is SessionEvent {
  return 'seq' in frame;
}

/** What is being said at this moment is the one thing that a replay cannot know. */
function withoutWords(state: SessionState): SessionState {
  return { ...state, live: state.live && { ...state.live, parts: [] } };
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
      }),
      { numRuns: 100 },
    );
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

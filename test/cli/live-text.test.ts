import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { liveText } from '../../client/live-turn.ts';
import { applyFrame, fromSnapshot, missesText, type SessionState } from '../../client/session-state.ts';
import type { Delta, StreamFrame, TurnPartial } from '../../contract/events.ts';
import { AT, aSession, aTurn } from '../harness/shapes.ts';

type Part = TurnPartial['parts'][number];

const about = { sessionId: 's', turnId: 't', agentId: 'a' };
const turn = aTurn({ id: 't', state: 'running', startedAt: AT });

/** Pieces of an answer; text and reasoning are parts of their own. */
const pieces = fc.array(
  fc.record({
    kind: fc.constantFrom('text' as const, 'reasoning' as const),
    text: fc.string({ minLength: 1, maxLength: 5 }),
  }),
  { minLength: 1, maxLength: 20 },
);

/** The deltas of an answer, and what a partial would say before the first of them, the second, … and after the last. */
function speak(said: readonly { kind: Part['kind']; text: string }[], after: string | null = null) {
  const parts: Part[] = [];
  const deltas: Delta[] = [];
  const partials: TurnPartial[] = [];
  const note = () =>
    partials.push({ type: 'turn.partial', ...about, after, guest: false, calls: [], parts: structuredClone(parts) });
  note();
  for (const { kind, text } of said) {
    const last = parts.at(-1);
    const current = last?.kind === kind ? last : { part: parts.length, kind, text: '' };
    if (current !== last) parts.push(current);
    deltas.push({ type: 'delta', ...about, after, part: current.part, kind, offset: current.text.length, text });
    current.text += text;
    note();
  }
  return { deltas, partials, parts };
}

function opened(): SessionState {
  return fromSnapshot({ session: aSession({ status: 'working' }), messages: [], queue: [], turns: [turn] });
}

function wordsOf({ live }: SessionState): string {
  return live ? liveText(live) : '';
}

/** Every state on the way. */
function states(frames: readonly StreamFrame[], first = opened()): SessionState[] {
  const all = [first];
  for (const frame of frames) all.push(applyFrame(all.at(-1)!, frame));
  return all;
}

const seeds = fc.array(fc.nat(), { minLength: 60, maxLength: 60 });

function shuffle<T>(items: readonly T[], order: readonly number[]): T[] {
  return items
    .map((item, index) => ({ item, at: order[index % order.length]! + index / 1000 }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

describe('the text of a running turn', () => {
  test('is whole in the end and never gets shorter, in whatever order partials and deltas arrive', () => {
    fc.assert(
      fc.property(pieces, fc.nat(), fc.array(fc.nat(), { maxLength: 4 }), seeds, (said, from, more, order) => {
        const { deltas, partials, parts } = speak(said);
        const moment = from % partials.length;
        // Deltas from before the partial may have been missed; those after it have not.
        const heard = [
          partials[moment]!,
          ...deltas.slice(moment),
          ...more.map((at) => partials[at % partials.length]!),
        ];
        const all = states(shuffle(heard, order));
        expect(all.at(-1)!.live?.parts).toEqual(parts);
        expect(missesText(all.at(-1)!)).toBe(false);
        const lengths = all.map((state) => wordsOf(state).length);
        expect(lengths).toEqual(lengths.toSorted((a, b) => a - b));
      }),
    );
  });

  test('is known to have a gap exactly while something in front of what arrived is missing', () => {
    const { deltas, partials } = speak(['a', 'b', 'c', 'd'].map((text) => ({ kind: 'text', text })));
    const apply = (...frames: StreamFrame[]) => states(frames).at(-1)!;
    expect([missesText(apply(deltas[2]!)), wordsOf(apply(deltas[2]!))]).toEqual([true, '']);
    expect(missesText(apply(deltas[2]!, partials[1]!))).toBe(true);
    const whole = apply(deltas[3]!, deltas[2]!, partials[2]!);
    expect([missesText(whole), wordsOf(whole)]).toEqual([false, 'abcd']);
  });

  test('goes on after a stored message, whatever of the message before it arrives late', () => {
    fc.assert(
      fc.property(pieces, pieces, seeds, (before, said, order) => {
        const old = speak(before);
        const now = speak(said, 'm1');
        const frames = [...old.deltas, ...old.partials, ...now.deltas, now.partials[0]!];
        expect(states(shuffle(frames, order)).at(-1)!.live?.parts).toEqual(now.parts);
      }),
    );
  });

  test('begins with what a snapshot brings, and takes up the deltas that arrived before it', () => {
    const { deltas, partials } = speak(['one ', 'two ', 'three'].map((text) => ({ kind: 'text', text })));
    const given = { session: aSession({ status: 'working' }), messages: [], queue: [], turns: [turn] };
    const loaded = fromSnapshot({ ...given, partials: [partials[1]!] });
    expect(wordsOf(loaded)).toBe('one ');
    expect(wordsOf(states(deltas, loaded).at(-1)!)).toBe('one two three');
  });
});

import { expect, it } from 'vitest';
import { TurnFamily } from '../../cli/follow/turn-family.ts';
import type { StreamFrame } from '../../contract/events.ts';

const ENDED = { id: 't', messageId: 'm', retryOf: null, parentTurnId: null, endedAt: '2026-01-01T00:00:00.000Z' };

/** What matters of a frame here. */
function frame(facts: object): StreamFrame {
  return { sessionId: 's', seq: 0, ...facts } as unknown as StreamFrame;
}

it('a turn that is told again after its end is over with its last frame and not with its first', () => {
  const family = new TurnFamily({ messageId: 'm' });
  expect(family.takeIn(frame({ type: 'turn.started', turn: ENDED }))).toBe(true);
  expect(family.isOver).toBe(false);
  family.takeIn(frame({ type: 'turn.settled', turn: ENDED }));
  expect(family.isOver).toBe(true);
});

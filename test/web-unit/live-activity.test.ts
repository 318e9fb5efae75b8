import { expect, test } from 'vitest';
import type { Delta, StreamFrame, TurnPartial } from '../../contract/events.ts';
import { type Activity, afterFrame, lastSentence } from '../../web/live/activity.ts';

const after = (...frames: StreamFrame[]) =>
  frames.reduce<Activity | undefined>((known, frame) => afterFrame(known, frame), undefined);

const delta = (text: string, offset: number, more: Partial<Delta> = {}): Delta => ({
  type: 'delta',
  sessionId: 's1',
  turnId: 't2',
  agentId: 'helper',
  after: null,
  part: 0,
  kind: 'text',
  offset,
  text,
  ...more,
});

const partial = (turnId: string, agentId: string, text: string): TurnPartial => ({
  type: 'turn.partial',
  sessionId: 's1',
  turnId,
  agentId,
  after: null,
  guest: false,
  parts: [{ part: 0, kind: 'text', text }],
  calls: [],
});

test('live text belongs to the agent that says it, also when its turn started before the page was opened', () => {
  expect(after(delta('Hello. ', 0))).toMatchObject({ agentId: 'helper', turnId: 't2' });
  const both = [partial('t2', 'helper', 'Found it. '), partial('t1', 'lead', 'I ask helper. ')];
  for (const frames of [both, both.toReversed()])
    expect(after(...frames)).toMatchObject({ agentId: 'helper', words: 'Found it. ' });
});

test('text that a stream repeats is shown once, and another part or turn does not continue the sentence before it', () => {
  const heard = after(partial('t2', 'helper', 'One. Tw'), delta('One. Two', 0), delta('wo. Th', 6));
  expect(heard?.words).toBe('One. Two. Th');
  expect(lastSentence(after(delta('First', 0), delta('Second. ', 0, { part: 2 }))!.words)).toBe('Second.');
  expect(after(delta('Mine', 0), delta('Yours', 0, { turnId: 't3', agentId: 'lead' }))).toMatchObject({
    agentId: 'lead',
    words: 'Yours',
  });
});

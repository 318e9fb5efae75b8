import { expect, test } from 'vitest';
import { emptyState } from '../../client/session-state.ts';
import { leaveAt, placeIn } from '../../web/features/conversation/use-list.ts';
import { SerialByKey } from '../../web/live/flow.ts';
import type { LiveState } from '../../web/live/live-state.ts';
import { withState } from '../../web/live/read-conversation.ts';
import { keep } from '../../web/pages/session/use-kept.ts';

test('four conversations are kept, those shown last', () => {
  expect(['b', 'c', 'a', 'd', 'e'].reduce(keep, ['a'])).toEqual(['c', 'a', 'd', 'e']);
});

test('eight conversations stay loaded, those opened last', () => {
  const opened = [...'abcdefgh', 'a', 'i'];
  const none: LiveState['states'] = new Map();
  const states = opened.reduce((all, id) => withState(all, emptyState(id)), none);
  expect([...states.keys()]).toEqual([...'cdefghai']);
});

test('a place is remembered until somebody leaves from the end', () => {
  const place = { key: 'm', seq: 3, offset: 12, sizes: new Map() };
  leaveAt('s', place);
  expect(placeIn('s')).toBe(place);
  leaveAt('s', null);
  expect(placeIn('s')).toBeUndefined();
});

test('what concerns the same conversation is read one after the other, also after a failure', async () => {
  const serial = new SerialByKey();
  const done: string[] = [];
  const work = (name: string, ms: number) => async () => {
    await new Promise((resolve) => setTimeout(resolve, ms));
    done.push(name);
    if (name === 'b') throw new Error('no');
  };
  const failed = serial.inOrder('s', work('b', 5)).catch(() => 'failed');
  await Promise.all([serial.inOrder('s', work('c', 0)), serial.inOrder('other', work('a', 0))]);
  expect([await failed, ...done]).toEqual(['failed', 'a', 'b', 'c']);
  expect(serial.isBusy('s')).toBe(false);
});

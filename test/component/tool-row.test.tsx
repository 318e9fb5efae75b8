import { expect, test } from 'vitest';
import { liveCall } from '../../web/conversation/shown-parts.ts';
import { ToolRow } from '../../web/conversation/tool-row.tsx';
import { approval, call } from './fixtures.ts';
import { World } from './world.tsx';

const ENDED = '2026-01-01T10:00:01.250Z';

test('a call is one line; what it said is not there until somebody opens it', async () => {
  const done = call('complete', { output: 'The whole plan.', outputBytes: 15, endedAt: ENDED });
  const screen = await new World().show(<ToolRow call={liveCall(done, null)} />);
  const line = screen.getByRole('button', { name: /notes_read/ });
  await expect.element(line).toHaveAttribute('aria-expanded', 'false');
  await expect.element(line).toMatchTextContent('name=plan');
  await expect.element(line).toMatchTextContent('1250 ms');
  expect(screen.container.textContent).not.toContain('The whole plan.');
  await line.click();
  await expect.element(screen.getByText('The whole plan.')).toBeVisible();
  await line.click();
  await expect.poll(() => screen.container.textContent).not.toContain('The whole plan.');
});

test.each(['failed', 'rejected', 'denied'] as const)('a call that %s is open by itself', async (state) => {
  const bad = call(state, { output: 'No such note.', outputBytes: 13, endedAt: ENDED });
  const screen = await new World().show(<ToolRow call={liveCall(bad, null)} />);
  await expect.element(screen.getByText('No such note.')).toBeVisible();
  await expect.element(screen.getByRole('button')).toHaveAttribute('aria-expanded', 'true');
});

test('a call that waits for the person asks where it stands', async () => {
  const world = new World();
  world.change({ actions: new Map([['a1', approval('a1')]]) });
  const screen = await world.show(<ToolRow call={liveCall(call('waiting', { actionId: 'a1' }), null)} />);
  const card = screen.getByRole('region', { name: 'coder wants to use shell' });
  await expect.element(card).toBeVisible();
  world.change({ actions: new Map() });
  await expect.element(card).not.toBeInTheDocument();
});

test('what was cut off is read when it is asked for', async () => {
  const world = new World({ 'GET /api/tool-calls/c1/output': 'All of it, to the end.' });
  const long = call('complete', { output: 'All of', outputBytes: 22, endedAt: ENDED });
  const screen = await world.show(<ToolRow call={liveCall(long, null)} />);
  await screen.getByRole('button', { name: /notes_read/ }).click();
  await screen.getByRole('button', { name: 'Show the whole output' }).click();
  await expect.element(screen.getByText('All of it, to the end.')).toBeVisible();
});

test('a call that is under way says how far it is', async () => {
  const screen = await new World().show(<ToolRow call={liveCall(call('running'), '3 of 9 pages')} />);
  await expect.element(screen.getByRole('button', { name: /3 of 9 pages/ })).toBeVisible();
});

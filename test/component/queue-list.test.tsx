import { expect, test } from 'vitest';
import { userEvent } from 'vitest/browser';
import { QueueList } from '../../web/features/composer/queue-list.tsx';
import { Fixture } from './fixture.tsx';
import { queued, session, turn } from './fixtures.ts';

const RUNNING = turn('t0', { state: 'running', startedAt: '2026-01-01T10:00:00.000Z' });

/** Three that wait while somebody works; the last was asked for by an agent. */
async function threeWaiting() {
  const fixture = new Fixture();
  fixture.open({
    session: session('s1', { status: 'working', queuedCount: 3 }),
    turns: [RUNNING],
    queue: [queued('t1', 'First'), queued('t2', 'Second'), queued('t3', 'Third', { parentTurnId: 't9' })],
  });
  const screen = await fixture.show(
    <section data-composer="" className="@container">
      <QueueList sessionId="s1" />
    </section>,
  );
  await expect.element(screen.getByRole('list', { name: 'Queued messages' })).toBeVisible();
  return { fixture, screen, chip: (at: number) => screen.getByRole('listitem').nth(at) };
}

test('a waiting message is changed where it waits; Escape leaves it as it was', async () => {
  const { fixture, screen, chip } = await threeWaiting();
  await chip(0).getByRole('button', { name: 'Edit' }).click();
  await screen.getByRole('textbox', { name: 'Edit' }).fill('Something else');
  await userEvent.keyboard('{Escape}');
  await expect.element(chip(0)).toMatchTextContent('First');
  expect(fixture.asked).toEqual([]);
  await chip(0).getByRole('button', { name: 'Edit' }).click();
  await screen.getByRole('textbox', { name: 'Edit' }).fill('First of all');
  await userEvent.keyboard('{Enter}');
  expect(fixture.asked).toEqual([{ method: 'PATCH', path: '/api/turns/t1', body: { content: 'First of all' } }]);
});

test('it is moved from the keyboard, and keeps the keyboard when the server has moved it', async () => {
  const { fixture, screen } = await threeWaiting();
  const handle = screen.getByRole('button', { name: /^Message 1 of 3: First/ });
  handle.element().focus();
  await userEvent.keyboard('{Alt>}{ArrowDown}{/Alt}');
  expect(fixture.asked).toEqual([{ method: 'PATCH', path: '/api/turns/t1', body: { position: 1 } }]);
  await expect.element(screen.getByText('Moved to position 2 of 3')).toBeInTheDocument();
  fixture.open({
    session: session('s1', { status: 'working', queuedCount: 3 }),
    turns: [RUNNING],
    queue: [queued('t2', 'Second'), queued('t1', 'First'), queued('t3', 'Third', { parentTurnId: 't9' })],
  });
  await expect.element(screen.getByRole('button', { name: /^Message 2 of 3: First/ })).toHaveFocus();
});

test('it is taken back, or goes before everything else', async () => {
  const { fixture, chip } = await threeWaiting();
  await chip(0).getByRole('button', { name: 'Remove' }).click();
  await chip(1).getByRole('button', { name: 'Send now' }).click();
  await expect.poll(() => fixture.asked.length).toBe(3);
  expect(fixture.asked.map(({ method, path, body }) => [method, path, body])).toEqual([
    ['DELETE', '/api/turns/t1', undefined],
    ['PATCH', '/api/turns/t2', { position: 0 }],
    ['POST', '/api/turns/t0/cancellation', undefined],
  ]);
});

test('what an agent asked for is not the person’s to change; taking it away stops it', async () => {
  const { fixture, chip } = await threeWaiting();
  await expect.element(chip(2).getByRole('button', { name: 'Edit' })).not.toBeInTheDocument();
  await chip(2).getByRole('button', { name: 'Remove' }).click();
  expect(fixture.asked[0]?.path).toBe('/api/turns/t3/cancellation');
});

test('it is dragged onto another’s place', async () => {
  const { fixture, screen, chip } = await threeWaiting();
  const handle = screen.getByRole('button', { name: /^Message 1 of 3: First/ });
  await expect.poll(() => chip(0).element().getAttribute('draggable')).toBe('true');
  await handle.dropTo(chip(1));
  await expect.poll(() => fixture.asked).toEqual([{ method: 'PATCH', path: '/api/turns/t1', body: { position: 1 } }]);
});

import { expect, test } from 'vitest';
import { SessionStatus } from '../../contract/sessions.ts';
import { StatusDot } from '../../web/ui/status-dot.tsx';
import { Fixture } from './fixture.tsx';

test('each of the eight statuses has a name and a shape of its own', async () => {
  const screen = await new Fixture().show(
    SessionStatus.options.map((status) => <StatusDot key={status} status={status} />),
  );
  await expect.poll(() => screen.getByRole('img').elements().length).toBe(8);
  const dots = screen.getByRole('img').elements();
  const names = dots.map((dot) => dot.querySelector('title')?.textContent);
  const shapes = dots.map((dot) =>
    [...dot.children]
      .slice(1)
      .map((shape) => shape.outerHTML.replaceAll(/--st-\w+/g, ''))
      .join(),
  );
  expect(new Set(names).size).toBe(8);
  expect(names).not.toContain('');
  expect(new Set(shapes).size).toBe(8);
});

import { expect, test } from 'vitest';
import { Palette } from '../../web/features/palette/palette.tsx';
import { agent, Fixture } from './fixture.tsx';
import { approval, session } from './fixtures.ts';

test('an empty palette begins with what needs the person, then where they were, with names instead of ids', async () => {
  const agents = [agent('coder', { displayName: 'Coder' })];
  const fixture = new Fixture({ 'GET /api/agents': { agents, configuration: { valid: true, issues: [] } } });
  const sessions = [
    session('old', { lastActivityAt: '2026-01-01T10:00:00.000Z' }),
    session('new', { lastActivityAt: '2026-01-02T10:00:00.000Z' }),
    session('s1', { lastActivityAt: '2025-01-01T10:00:00.000Z', status: 'waiting' }),
  ];
  fixture.change({
    isListed: true,
    sessions: new Map(sessions.map((one) => [one.id, one])),
    actions: new Map([['a1', approval('a1')]]),
  });
  const screen = await fixture.show(<Palette onClose={() => undefined} runCommand={() => undefined} />);
  const options = screen.getByRole('option');
  for (const [at, name] of ['s1', 'new', 'old'].entries()) {
    await expect.element(options.nth(at).getByText(name, { exact: true })).toBeVisible();
    await expect.element(options.nth(at).getByText('Coder', { exact: true })).toBeVisible();
  }
  await expect.element(options.nth(0)).toHaveAttribute('aria-selected', 'true');
});

test('an agent whose name is typed comes before its sessions; help and themes are found by other words', async () => {
  const agents = [agent('coder', { displayName: 'Coder' })];
  const fixture = new Fixture({ 'GET /api/agents': { agents, configuration: { valid: true, issues: [] } } });
  const sessions = ['Coder', 'Coder again', 'Plans'].map((title) => session(title));
  fixture.change({ isListed: true, sessions: new Map(sessions.map((one) => [one.id, one])) });
  const screen = await fixture.show(<Palette onClose={() => undefined} runCommand={() => undefined} />);
  const first = screen.getByRole('option').first();
  for (const [typed, found] of [
    ['coder', 'New session with Coder'],
    ['help', 'Show keyboard shortcuts'],
    ['dark', 'Toggle theme: light or dark'],
  ] as const) {
    await screen.getByRole('combobox').fill(typed);
    await expect.element(first).toMatchTextContent(found);
  }
});

import { expect, test, vi } from 'vitest';
import type { Delegation } from '../../contract/delegation.ts';
import type { Session } from '../../contract/sessions.ts';
import { ModelInputHost, Rail } from '../../web/features/rail/rail.tsx';
import { Section } from '../../web/features/rail/sections.tsx';
import { applyFrames, type SessionFrame } from '../../web/live/frames.ts';
import type { LiveState } from '../../web/live/live-state.ts';
import { useConversation } from '../../web/live/use-live.ts';
import { AT, aCall } from '../harness/shapes.ts';
import { agent, Fixture } from './fixture.tsx';
import { approval, session, turn } from './fixtures.ts';

// Every part of the rail is one: whoever is drawn calls it.
vi.mock(import('../../web/features/rail/sections.tsx'), { spy: true });

const TOKENS = 40;
const AGENTS = [agent('coder'), agent('critic', { parentAgentId: 'coder' })];
const EARLIER = turn('t1', { state: 'complete', createdAt: at(0), startedAt: at(0), endedAt: at(1) });
const RUNNING = turn('t2', { state: 'running', createdAt: at(2), startedAt: at(2) });
const AT_WORK = { sessionId: 's2', turnId: 't3', agentId: 'critic' };
const GIVEN: Delegation = {
  turnId: 't3',
  sessionId: 's2',
  parentTurnId: 't2',
  parentSessionId: 's1',
  from: 'coder',
  to: 'critic',
  via: 'tool',
  mode: 'async',
  task: 'Look at it',
  state: 'started',
  reason: null,
};

test('nothing beside a conversation is drawn anew while an answer streams', async () => {
  const { screen, hear } = await beside();
  hear({ type: 'delegation.started', delegation: GIVEN, ...place(2) });
  await expect.element(screen.getByText('Look at it')).toBeVisible();
  vi.mocked(Section).mockClear();
  for (let said = 0; said < TOKENS; said++) {
    hear({ type: 'delta', turnId: 't2', part: 0, kind: 'text', offset: said * 5, text: 'word ' });
    await nextFrame();
  }
  expect(vi.mocked(Section).mock.calls.map(([{ title }]) => title)).toEqual([]);
});

test('whoever begins and ends to work is shown at once', async () => {
  const { screen, hear } = await beside();
  const critic = screen.getByRole('listitem').filter({ hasText: 'critic' }).first();
  await expect.element(critic.getByRole('img', { name: 'Idle' })).toBeVisible();
  hear({ type: 'delegation.started', delegation: GIVEN, ...place(2) });
  await expect.element(critic.getByRole('img', { name: 'Working' })).toBeVisible();
  hear({
    type: 'tool.started',
    ...place(1),
    sessionId: 's2',
    call: aCall({ ...AT_WORK, id: 'c1', name: 'notes_read' }),
  });
  hear({ type: 'tool.ended', ...place(2), sessionId: 's2', call: aCall({ ...AT_WORK, id: 'c1', endedAt: AT }) });
  const input = '{"path":"src/invoice.ts"}';
  hear({
    type: 'tool.started',
    ...place(3),
    sessionId: 's2',
    call: aCall({ ...AT_WORK, id: 'c2', name: 'files_edit', input }),
  });
  await expect.element(critic.getByText('Working · 2 tools · Editing invoice.ts')).toBeVisible();
  await expect.element(screen.getByText('Look at it')).toBeVisible();
  hear({ type: 'delegation.ended', delegation: { ...GIVEN, state: 'complete' }, ...place(3) });
  await expect.element(critic.getByRole('img', { name: 'Idle' })).toBeVisible();
  await expect.element(screen.getByRole('img', { name: 'Completed' })).toBeVisible();
});

test('a delegate that waits for an approval is said to wait for the person', async () => {
  const { screen, hear, change } = await beside();
  const critic = screen.getByRole('listitem').filter({ hasText: 'critic' }).first();
  hear({ type: 'delegation.started', delegation: GIVEN, ...place(2) });
  hear({
    type: 'tool.started',
    ...place(1),
    sessionId: 's2',
    call: aCall({ ...AT_WORK, id: 'c1', name: 'bash', input: '{"command":"set -e"}' }),
  });
  await expect.element(critic.getByText('Working · 1 tool · Running set -e')).toBeVisible();
  const chain = [{ agentId: 'coder', turnId: 't2', sessionId: 's1' }, AT_WORK];
  change({ actions: new Map([['a1', { ...approval('a1'), ...AT_WORK, chain }]]) });
  await expect.element(critic.getByTitle('Waiting for you')).toBeVisible();
  await expect.element(critic.getByRole('img', { name: 'Waiting for you' })).toBeVisible();
  await expect.element(screen.getByText('Waiting for you · Look at it')).toBeVisible();
  await expect.element(screen.getByText('Working · 1 tool · Running set -e')).not.toBeInTheDocument();
});

test('what the agent saw is what it saw in the newest turn, in whatever order turns were read', async () => {
  const { screen } = await beside();
  await screen.getByRole('button', { name: 'View model input' }).click();
  await expect.element(screen.getByText('The newest request')).toBeVisible();
  await screen.getByRole('combobox', { name: 'Turn' }).selectOptions('t1');
  await expect.element(screen.getByText('An older request')).toBeVisible();
});

/** The rail beside a conversation that is drawn with every token. */
async function beside() {
  const step = { step: 0, at: at(0), messages: [], tools: [], model: 'demo', estimatedTokens: 1 };
  const seen = (system: string) => ({ turnId: 't', agentId: 'coder', guest: false, steps: [{ ...step, system }] });
  const fixture = new Fixture({
    'GET /api/agents': { agents: AGENTS, configuration: { valid: true, issues: [] } },
    'GET /api/tools': { tools: [{ name: 'notes_read', description: '', source: { kind: 'built-in', id: 'notes' } }] },
    'GET /api/usage': { total: { turns: 0 } },
    'GET /api/turns/t1/seen': seen('An older request'),
    'GET /api/turns/t2/seen': seen('The newest request'),
  });
  const here: Session = session('s1', { status: 'working' });
  fixture.open({ session: here, turns: [RUNNING, EARLIER] });
  const screen = await fixture.show(<Conversation />);
  await expect.element(screen.getByText('What critic does.')).toBeVisible();
  await expect.element(screen.getByText('notes', { exact: true })).toBeVisible();
  const hear = (frame: object) =>
    fixture.change(applyFrames(fixture.live.store.getState(), [{ sessionId: 's1', ...frame } as SessionFrame]));
  return { screen, hear, change: (change: Partial<LiveState>) => fixture.change(change) };
}

function Conversation() {
  useConversation('s1');
  return (
    <>
      <Rail sessionId="s1" />
      <ModelInputHost sessionId="s1" />
    </>
  );
}

function at(minute: number): string {
  return `2026-01-01T10:0${minute}:00.000Z`;
}

function place(seq: number) {
  return { seq, position: seq, at: at(3) };
}

function nextFrame(): Promise<unknown> {
  return new Promise(requestAnimationFrame);
}

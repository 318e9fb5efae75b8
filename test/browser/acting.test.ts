import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SessionList } from '../../contract/sessions.ts';
import type { RecordedRequest } from '../harness/scripted-provider.ts';
import { type Script, text } from '../harness/scripted-script.ts';
import { row } from './doing.ts';
import { composer, said, WebApp } from './web-app.ts';

let app: WebApp;
beforeAll(async () => {
  app = await WebApp.start({
    agents: [
      { agentId: 'chief', displayName: 'Chief', toolAllowlist: ['agents_message'], agentAllowlist: null },
      { agentId: 'asker', displayName: 'Asker', toolAllowlist: ['ask_user'] },
      { agentId: 'boss', displayName: 'Boss', toolAllowlist: [], agentAllowlist: null },
      {
        agentId: 'clerk',
        displayName: 'Clerk',
        parentAgentId: 'boss',
        toolAllowlist: ['todo_*'],
        approvals: { todo_add: 'ask' },
      },
    ],
  });
  app.provider.script(play);
}, 60_000);
afterAll(() => app.close());

/** The boss hands everything to the clerk; the clerk writes it down. */
function play({ body, said: words }: RecordedRequest): Script {
  const messages = body.messages as { role: string; content: string }[];
  if (body.model === 'model-of-asker')
    return messages.at(-1)?.role === 'tool'
      ? { steps: text('Thank you.') }
      : { steps: [{ kind: 'toolCall', name: 'ask_user', input: '{"question":"Which colour?"}' }] };
  if (body.model === 'model-of-chief') {
    if (messages.at(-1)?.role === 'tool') return { steps: text('The boss has seen to it.') };
    const input = JSON.stringify({ agentId: 'boss', content: 'We need milk', session: 'create' });
    return { steps: [{ kind: 'toolCall', name: 'agents_message', input }] };
  }
  if (body.model === 'model-of-boss') {
    const isAnswered = words.startsWith('[The agents you asked');
    return {
      steps: text(
        isAnswered ? 'It is written down.' : 'The clerk will do it. <delegate to="clerk">Write down: milk</delegate>',
      ),
    };
  }
  if (messages.at(-1)?.role === 'tool') return { steps: text(`Done: ${messages.at(-1)?.content}`) };
  return { steps: [{ kind: 'toolCall', name: 'todo_add', input: '{"title":"milk"}' }] };
}

test('an orchestrator delegates in the open, and an approval is given by keyboard alone', {
  timeout: 90_000,
}, async () => {
  const { id } = await app.parley.createSession({ agentId: 'boss' });
  const page = await app.open(`/sessions/${id}`);
  await composer(page).fill('We need milk');
  await composer(page).press('Enter');
  await page.getByText('Delegating to Clerk: Write down: milk').waitFor();
  const card = page.getByRole('log').getByRole('group', { name: 'clerk wants to use todo_add' });
  await card.waitFor();
  await page
    .getByRole('tree')
    .getByText(/approval/i)
    .waitFor();
  await expect.poll(() => page.title()).toContain('(1)');
  await app.shot(page, 'approval-dark');
  await card.getByRole('button', { name: 'Allow once' }).focus();
  await page.keyboard.press('Enter');
  await said(page, 'It is written down.').waitFor();
  await page.getByText('sub-agent of').waitFor();
  expect(app.trouble).toEqual([]);
  expect((await app.parley.messages(id)).map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    'delegation',
    'assistant',
    'assistant',
  ]);
});

test('an approval is denied with a reason, which the agent is told', { timeout: 60_000 }, async () => {
  const { id } = await app.parley.createSession({ agentId: 'clerk' });
  const page = await app.open(`/sessions/${id}`);
  await composer(page).fill('Note it');
  await composer(page).press('Enter');
  const card = page.getByRole('log').getByRole('group', { name: 'clerk wants to use todo_add' });
  await card.getByRole('button', { name: 'Deny' }).click();
  await card.getByRole('textbox').fill('We have milk.');
  await card.getByRole('button', { name: 'Deny' }).click();
  await said(page, /We have milk\./).waitFor();
  expect(app.trouble).toEqual([]);
});

test('a question is asked once, and what was answered stays', { timeout: 60_000 }, async () => {
  const { id } = await app.parley.createSession({ agentId: 'asker' });
  const page = await app.open(`/sessions/${id}`);
  await composer(page).fill('Paint it');
  await composer(page).press('Enter');
  const log = page.getByRole('log');
  await log.getByRole('group', { name: 'Asker asks: Which colour?' }).waitFor();
  expect(await log.getByRole('button', { name: 'Answer', exact: true }).count()).toBe(1);
  expect(await log.getByText('Which colour?').count()).toBe(1);
  await page.reload();
  await log.getByRole('button', { name: 'Answer', exact: true }).waitFor();
  expect(await log.getByRole('button', { name: 'Answer', exact: true }).count()).toBe(1);
  await log.getByRole('textbox', { name: 'Which colour?' }).fill('blue');
  await log.getByRole('button', { name: 'Answer', exact: true }).click();
  await said(page, 'Thank you.').waitFor();
  await log.getByText('You answered: blue').waitFor();
  await page.reload();
  await log.getByText('You answered: blue').waitFor();
  await app.shot(page, 'question-answered');
  expect(app.trouble).toEqual([]);
});

test('what a delegate of a delegate asks is answered in any session of its chain, and listed once', {
  timeout: 90_000,
}, async () => {
  const { id } = await app.parley.createSession({ agentId: 'chief' });
  const page = await app.open(`/sessions/${id}`);
  await composer(page).fill('Milk, please');
  await composer(page).press('Enter');
  const card = { name: 'Clerk wants to use todo_add' };
  const root = page.getByRole('log').getByRole('group', card);
  await root.waitFor();
  await page.getByRole('log').getByText('Delegating to Boss: We need milk').waitFor();
  await root.getByText('On behalf of Chief → Boss').waitFor();
  const { actions } = await app.parley.ok<{ actions: { sessionId: string }[] }>('GET', '/api/actions');
  const other = await app.open(`/sessions/${actions[0]!.sessionId}`);
  const nested = other.getByRole('log').getByRole('group', card);
  await nested.waitFor();
  for (const one of [page, other]) await expect.poll(() => one.title()).toContain('(1)');
  await app.shot(page, 'nested-approval');
  await root.getByRole('button', { name: 'Allow once' }).click();
  await nested.waitFor({ state: 'detached' });
  await root.waitFor({ state: 'detached' });
  await said(page, 'The boss has seen to it.').waitFor();
  await expect.poll(() => other.title()).not.toContain('(1)');
  await app.shot(page, 'nested-done');
  expect(app.trouble).toEqual([]);
});

test('a session between agents is folded away, never unread, found by keyboard and by the filter; counts agree', {
  timeout: 90_000,
}, async () => {
  const { id } = await app.parley.createSession({ agentId: 'chief', name: 'Milk at once' });
  const page = await app.open('/');
  await app.parley.send(id, { content: 'Get milk' });
  const main = page.getByRole('main');
  const card = main.getByRole('group', { name: 'clerk wants to use todo_add' });
  await card.waitFor();
  await row(page, /^Action required\s*1$/).waitFor();
  await page.getByRole('banner').getByText('1 needs you').waitFor();
  await main.getByRole('heading', { name: 'Needs you (1)' }).waitFor();
  await expect.poll(() => page.title()).toMatch(/^\(1\)/);
  await card.getByRole('button', { name: 'Allow once' }).click();
  await page
    .getByRole('treeitem')
    .getByText(/The boss has seen to it/)
    .first()
    .waitFor();
  await expect.poll(() => page.title()).not.toMatch(/^\(/);
  expect(await main.getByRole('heading', { name: /Needs you/ }).count()).toBe(0);

  const [between] = (await app.parley.ok<SessionList>('GET', '/api/sessions')).sessions.filter(
    ({ delegatedFrom }) => delegatedFrom === id,
  );
  const group = row(page, /^Delegated\s*\d+$/);
  const inside = page.getByRole('tree').locator(`[data-key="${between!.id}"]`);
  await group.waitFor();
  expect(await group.getAttribute('aria-expanded')).toBe('false');
  expect(await inside.count()).toBe(0);
  await group.focus();
  await page.keyboard.press('ArrowRight');
  await inside.waitFor();
  expect(await inside.textContent()).not.toContain('unread');
  await page.keyboard.press('ArrowLeft');
  await inside.waitFor({ state: 'detached' });
  await page.getByRole('searchbox').fill('boss');
  await inside.waitFor();
  expect(app.trouble).toEqual([]);
});

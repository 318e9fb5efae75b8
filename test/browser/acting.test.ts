import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RecordedRequest } from '../harness/scripted-provider.ts';
import { type Script, text } from '../harness/scripted-script.ts';
import { BrowserStage, composer, said } from './stage.ts';

let stage: BrowserStage;
beforeAll(async () => {
  stage = await BrowserStage.start({
    agents: [
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
  stage.provider.script(play);
}, 60_000);
afterAll(() => stage.close());

/** The boss hands everything to the clerk; the clerk writes it down. */
function play({ body, said: words }: RecordedRequest): Script {
  const messages = body.messages as { role: string; content: string }[];
  if (body.model === 'model-of-boss') {
    const isAnswered = words.startsWith('[Those you asked');
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
  const { id } = await stage.parley.createSession({ agentId: 'boss' });
  const page = await stage.open(`/sessions/${id}`);
  await composer(page).fill('We need milk');
  await composer(page).press('Enter');
  await page.getByText('Delegating to Clerk — Write down: milk').waitFor();
  const card = page.getByRole('log').getByRole('region', { name: 'clerk wants to use todo_add' });
  await card.waitFor();
  await page
    .getByRole('tree')
    .getByText(/approval/i)
    .waitFor();
  await expect.poll(() => page.title()).toContain('(1)');
  await stage.shot(page, 'approval-dark');
  await card.getByRole('button', { name: 'Allow once' }).focus();
  await page.keyboard.press('Enter');
  await said(page, 'It is written down.').waitFor();
  await page.getByText('sub-agent of').waitFor();
  expect(stage.trouble).toEqual([]);
  expect((await stage.parley.messages(id)).map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    'delegation',
    'assistant',
    'assistant',
  ]);
});

test('an approval is denied with a reason, which the agent is told', { timeout: 60_000 }, async () => {
  const { id } = await stage.parley.createSession({ agentId: 'clerk' });
  const page = await stage.open(`/sessions/${id}`);
  await composer(page).fill('Note it');
  await composer(page).press('Enter');
  const card = page.getByRole('log').getByRole('region', { name: 'clerk wants to use todo_add' });
  await card.getByRole('button', { name: 'Deny' }).click();
  await card.getByRole('textbox').fill('We have milk.');
  await card.getByRole('button', { name: 'Deny now' }).click();
  await said(page, /We have milk\./).waitFor();
  expect(stage.trouble).toEqual([]);
});

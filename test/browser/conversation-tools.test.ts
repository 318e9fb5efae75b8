import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SessionList } from '../../contract/sessions.ts';
import type { Share } from '../../contract/shares.ts';
import { type Script, text } from '../harness/scripted-script.ts';
import { composer, said, WebApp } from './web-app.ts';

const LONG = { timeout: 90_000 };

let app: WebApp;
beforeAll(async () => {
  app = await WebApp.start({
    agents: [{ agentId: 'ada', displayName: 'Ada', toolAllowlist: ['bash'], approvals: { bash: 'allow' } }],
    config: { tools: { bash: { agents: ['ada'] } } },
  });
}, 60_000);
afterAll(() => app.close());

test('a tool that works in a session of its own says so, and each leads to the other', LONG, async () => {
  const sign = path.join(app.parley.home, 'go-on');
  // Ends with its server's folder, also when this test does not come to its end.
  const isOver = `[ -e '${sign}' ] || [ ! -d '${app.parley.home}' ]`;
  const command = `echo begun; until ${isOver}; do sleep 0.05; done; echo ended`;
  app.provider.script(({ body }): Script => {
    const messages = body.messages as { role: string }[];
    const isFirst = messages.filter(({ role }) => role === 'tool').length === 0;
    if (!isFirst) return { steps: text('It runs.') };
    return { steps: [{ kind: 'toolCall', name: 'bash', input: JSON.stringify({ command, background: true }) }] };
  });
  const { id } = await app.parley.createSession({ agentId: 'ada', name: 'Where it began' });
  const page = await app.open(`/sessions/${id}`);
  await composer(page).fill('Build it');
  await composer(page).press('Enter');
  const notice = page.getByRole('dialog').filter({ hasText: 'opened bash: echo begun' });
  await notice.waitFor();
  await page.locator('[data-composer] textarea:focus').waitFor();
  await said(page, 'It runs.').waitFor();
  await page.getByRole('treeitem', { name: /bash: echo begun/ }).waitFor();
  const way = page.getByRole('log').getByRole('link', { name: /Continues in bash: echo begun/ });
  await way.waitFor();
  await app.shot(page, 'tool-session-parent');
  await notice.getByRole('button', { name: 'Open' }).click();
  const { sessions } = await app.parley.ok<SessionList>('GET', `/api/sessions?parent=${id}`);
  await page.waitForURL(`**/sessions/${sessions[0]!.id}`);
  await said(page, 'begun').waitFor();
  await app.shot(page, 'tool-session-child');
  await page.getByRole('main').getByRole('link', { name: 'Opened by Where it began' }).click();
  await page.waitForURL(`**/sessions/${id}`);
  await page.reload();
  await way.click();
  await page.waitForURL(`**/sessions/${sessions[0]!.id}`);
  writeFileSync(sign, '');
  await said(page, /ended/).waitFor();

  await page.getByText('exit code 0', { exact: true }).waitFor();
  expect(await page.getByRole('log').locator('pre').allInnerTexts()).toEqual([command, 'begun\nended']);
  await app.shot(page, 'tool-session-output');
  await page.getByRole('main').getByRole('link', { name: 'Opened by Where it began' }).click();
  const report = page.getByRole('article').filter({ hasText: 'reported back' });
  await report.getByText('exit code 0', { exact: true }).waitFor();
  expect(await report.locator('pre').textContent()).toBe('begun\nended');
  await app.shot(page, 'tool-report');
  for (const sessionId of [id, sessions[0]!.id]) {
    const { url } = await app.parley.ok<Share>('POST', `/api/sessions/${sessionId}/shares`, {});
    await page.goto(url);
    await page.getByText('exit code 0', { exact: true }).waitFor();
    await expect.poll(() => page.getByRole('article').locator('pre').allInnerTexts()).toContain('begun\nended');
  }
  expect(app.trouble).toEqual([]);
});

import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ProgramSessionList } from '../../contract/program-sessions.ts';
import type { ExportedSession, Session } from '../../contract/sessions.ts';
import { en } from '../harness/words.ts';
import { ClaudeFile, codexAgent, codexMeta, codexPerson, ProgramFolders } from '../imports/program-files.ts';
import { expectUsable } from './axe.ts';
import { chooseInMenu } from './doing.ts';
import { said, WebApp } from './web-app.ts';

const LONG = { timeout: 90_000 };
const CODEX = '0199aaaa-bbbb-7ccc-8ddd-eeeeeeeeeeee';

const folders = new ProgramFolders();
let app: WebApp;
beforeAll(async () => {
  for (const [at, title] of ['Plan the trip', 'Mend the roof', 'Paint the door'].entries()) {
    const file = new ClaudeFile();
    file.person(title);
    file.answer(`msg_${at}`, [{ type: 'text', text: `Answer to: ${title}` }]);
    folders.claude(`6f1d2c3b-0000-4000-8000-00000000000${at}`, file.records);
  }
  folders.codex(CODEX, [codexMeta(CODEX), codexPerson('Mend the fence'), ...codexAgent('Mended.')]);
  app = await WebApp.start({ env: folders.env });
}, 60_000);
afterAll(async () => {
  await app.close();
  rmSync(folders.root, { recursive: true, force: true });
});

test(
  'sessions of programs are found by title, folder and program, imported together, and opened where they are already',
  LONG,
  async () => {
    const page = await app.open('/');
    await page.getByRole('button', { name: en['sidebar.newWith'] }).click();
    await chooseInMenu(page, en['imports.menu']);
    const dialog = page.getByRole('dialog', { name: en['imports.title'] });
    const rows = dialog.getByRole('list', { name: en['imports.list'] }).getByRole('listitem');
    await expect.poll(() => rows.count()).toBe(4);
    await dialog.getByText("Claude Code isn't an agent here yet.").waitFor();
    expect(await dialog.getByRole('button', { name: 'Import', exact: true }).isDisabled()).toBe(true);
    await expectUsable(app, page, 'imports');
    await page.setViewportSize({ width: 1440, height: 900 });

    const search = dialog.getByRole('searchbox', { name: en['imports.search'] });
    await search.fill('mend projects');
    await expect.poll(() => rows.count()).toBe(2);
    await dialog.getByRole('combobox', { name: en['imports.program'] }).selectOption('codex');
    await expect.poll(() => rows.count()).toBe(1);
    await rows.getByRole('checkbox', { name: /^Mend the fence/ }).check();
    await dialog.getByRole('combobox', { name: en['imports.program'] }).selectOption('');
    await search.fill('');
    await dialog.getByRole('checkbox', { name: /^Plan the trip/ }).check();
    await dialog.getByRole('button', { name: 'Import 2 sessions' }).click();
    await page.getByText('2 sessions imported').waitFor();
    await dialog.waitFor({ state: 'detached' });
    const { sessions } = await app.parley.ok<ProgramSessionList>('GET', '/api/program-sessions');
    expect(sessions.flatMap(({ importedAs, title }) => (importedAs ? [title] : [])).sort()).toEqual([
      'Mend the fence',
      'Plan the trip',
    ]);

    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('import codex');
    await page.getByRole('option', { name: en['imports.menu'], selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await rows.filter({ hasText: 'Mend the fence' }).getByText(en['imports.imported'], { exact: true }).waitFor();
    await dialog.getByRole('link', { name: 'Open the copy of Mend the fence' }).click();
    await page.waitForURL('**/sessions/*');
    await said(page, 'Mended.').waitFor();
    await page.getByRole('complementary').getByText(en['rail.imported']).waitFor();
    const { turns = [] } = await app.parley.ok<Session & { turns?: unknown[] }>(
      'GET',
      `/api/sessions/${new URL(page.url()).pathname.split('/').at(-1)}`,
    );
    expect(turns).toEqual([]);
    expect(app.trouble).toEqual([]);
  },
);

test('one that can no longer be read says so in its row, and the others are imported all the same', LONG, async () => {
  const page = await app.open('/');
  await page.getByRole('button', { name: en['sidebar.newWith'] }).click();
  await chooseInMenu(page, en['imports.menu']);
  const dialog = page.getByRole('dialog', { name: en['imports.title'] });
  await dialog.getByRole('checkbox', { name: /^Mend the roof/ }).check();
  await dialog.getByRole('checkbox', { name: /^Paint the door/ }).check();
  rmSync(folders.claude('6f1d2c3b-0000-4000-8000-000000000001', []));
  await dialog.getByRole('button', { name: 'Import 2 sessions' }).click();
  await dialog.getByRole('alert').getByText('Mend the roof').waitFor();
  await dialog
    .getByRole('listitem')
    .filter({ hasText: 'Paint the door' })
    .getByText(en['imports.imported'], { exact: true })
    .waitFor();
  expect(app.trouble).toEqual([]);
});

test(
  'an imported session has the times of its messages: in the list, the conversation and the details',
  LONG,
  async () => {
    const at = ['2025-03-02T12:15:00.000Z', '2025-03-05T12:40:00.000Z'] as const;
    const { id } = await app.parley.createSession({ agentId: 'ada' });
    await app.parley.say(id, { content: 'Old question' });
    const file = await app.parley.ok<ExportedSession>('GET', `/api/sessions/${id}/export?format=json`);
    const old = {
      ...file,
      session: { ...file.session, title: 'Old talk', createdAt: at[0] },
      messages: file.messages.map((message, index) => ({ ...message, createdAt: at[index] })),
    };
    const imported = await app.parley.ok<Session>('POST', '/api/imports', old);
    const page = await app.open(`/sessions/${imported.id}`);
    for (const day of ['Mar 2, 2025', 'Mar 5, 2025']) await page.getByRole('log').getByText(day).waitFor();
    const row = page.getByRole('treeitem', { name: /^Old talk/ });
    await row.getByText('Mar 5, 2025').waitFor();
    await page.getByRole('complementary').getByText('Mar 2, 2025').waitFor();
    expect(app.trouble).toEqual([]);
  },
);

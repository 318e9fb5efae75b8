import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ArtifactFile } from '../../contract/artifact-files.ts';
import type { FileInfo } from '../../contract/files.ts';
import { text } from '../harness/scripted-script.ts';
import { callAsTold } from '../suites/calling.ts';
import { expectUsable, violations } from './axe.ts';
import { chooseByKeys, chooseInMenu, openSession, say, tabTo } from './doing.ts';
import { PHONE, phoneProblems } from './phone.ts';
import { composer, WebApp } from './web-app.ts';

let app: WebApp;
beforeAll(async () => {
  app = await WebApp.start({
    agents: [{ agentId: 'ada', displayName: 'Ada', toolAllowlist: ['artifact_files_*', 'panels_*'] }],
  });
  app.provider.script((request) => {
    if (request.said.startsWith('call ')) return callAsTold(request);
    return { steps: text(request.said.startsWith('code') ? '```python\nprint("hello")\n```\n' : 'Fine.') };
  });
}, 60_000);
afterAll(() => app.close());

const panels = (page: Page) => page.getByRole('complementary', { name: 'Panels' });

async function openPage(options = {}): Promise<Page> {
  const { id } = await app.parley.createSession({ agentId: 'ada' });
  const page = await app.open(`/sessions/${id}`, options);
  await composer(page).waitFor();
  return page;
}

async function upload(contents: string | Uint8Array, name: string): Promise<string> {
  const { url, token } = app.parley;
  const response = await fetch(`${url}/api/files?name=${name}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/octet-stream' },
    body: Buffer.from(contents),
  });
  return ((await response.json()) as FileInfo).id;
}

async function newFile(name: string, contents: string | Uint8Array): Promise<ArtifactFile> {
  const fileId = await upload(contents, name);
  return app.parley.ok<ArtifactFile>('POST', '/api/artifact-files', { name, fileId });
}

async function give({ id }: ArtifactFile, contents: string): Promise<void> {
  await app.parley.ok('PATCH', `/api/artifact-files/${id}`, { fileId: await upload(contents, 'x') });
}

async function read({ id }: ArtifactFile): Promise<string> {
  return (await app.parley.fetch('GET', `/api/artifact-files/${id}/contents`)).text();
}

async function show(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Open panel' }).click();
  await chooseInMenu(page, 'File');
  await panels(page)
    .getByRole('button', { name: new RegExp(`^${name}`) })
    .click();
  await panels(page).getByRole('tab', { name }).waitFor();
}

/** Without what is open beside the conversation, which the app adds to what is written in it. */
async function use(page: Page, tool: string, input: object): Promise<void> {
  await app.parley.say(openSession(page), { content: `call ${tool} ${JSON.stringify(input)}` });
}

test('a file in an answer is downloaded with a finger', { timeout: 60_000 }, async () => {
  const page = await openPage(PHONE);
  await use(page, 'artifact_files_create', { name: 'finger.md', content: '# By touch' });
  await page.getByRole('button', { name: 'Download finger.md' }).waitFor();
  expect(await phoneProblems(page, 'file in an answer')).toEqual([]);
});

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

test('what an agent makes is in its answer, opens beside it, and follows what the agent changes', {
  timeout: 90_000,
}, async () => {
  const page = await openPage();
  await say(page, 'call artifact_files_create {"name":"plan.md","content":"# The plan\\n\\nFirst"}');
  const files = page.getByRole('log').getByRole('list', { name: 'Attachments' });
  await files.getByRole('link', { name: 'plan.md' }).click();
  await panels(page).getByRole('heading', { name: 'The plan' }).waitFor();
  await expectUsable(app, page, 'kept-file');
  await page.setViewportSize({ width: 1440, height: 900 });
  await use(page, 'artifact_files_edit', { file: 'plan.md', find: 'First', replace: 'First, by Ada' });
  await panels(page).getByText('First, by Ada').waitFor();
  await panels(page).getByRole('status').filter({ hasText: 'Ada' }).first().waitFor();
  // What is open goes with the message, and an agent can open it, too.
  const chip = page.locator('[data-composer]').getByRole('group', { name: 'Context for your message' });
  await chip.getByText('plan.md').waitFor();
  await panels(page).getByRole('tab', { name: 'plan.md' }).press('Delete');
  await panels(page).waitFor({ state: 'detached' });
  const { artifacts } = await app.parley.ok<{ artifacts: { id: string }[] }>('GET', '/api/artifacts?kind=file');
  await use(page, 'panels_open', { type: 'file', id: artifacts[0]!.id });
  await panels(page).getByRole('heading', { name: 'The plan' }).waitFor();
  expect(app.trouble).toEqual([]);
});

test('a text is edited by keyboard alone; what another wrote meanwhile is a choice; a version comes back', {
  timeout: 90_000,
}, async () => {
  const file = await newFile('notes.py', 'print(1)');
  const page = await openPage();
  await show(page, 'notes.py');
  await panels(page).getByText('print(1)').waitFor();
  await tabTo(page, panels(page).getByRole('button', { name: 'Edit' }));
  await page.keyboard.press('Enter');
  const box = panels(page).getByRole('textbox', { name: 'Contents' });
  await expect.poll(() => box.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
  await page.keyboard.press('Control+End');
  await page.keyboard.type('\nprint(2)');
  await page.keyboard.press('Control+s');
  await box.waitFor({ state: 'detached' });
  expect(await read(file)).toBe('print(1)\nprint(2)');

  await panels(page).getByRole('button', { name: 'Edit' }).click();
  await box.fill('mine');
  await give(file, 'theirs');
  await panels(page).getByText('6 B').waitFor();
  await page.keyboard.press('Control+s');
  const choice = page.getByRole('dialog').filter({ hasText: 'theirs' });
  await choice.getByText('mine', { exact: true }).waitFor();
  expect(await read(file)).toBe('theirs');
  expect(await violations(page)).toEqual([]);
  await choice.getByRole('button', { name: 'Use mine' }).click();
  await expect.poll(() => read(file)).toBe('mine');

  await tabTo(page, panels(page).getByRole('button', { name: 'File actions' }));
  await page.keyboard.press('Enter');
  await chooseByKeys(page, 'Versions');
  const dialog = page.getByRole('dialog', { name: 'Versions of notes.py' });
  await dialog.getByRole('button', { name: /8 B/ }).click();
  await dialog.getByText('print(1)').waitFor();
  expect(await violations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Restore this version' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await read(file)).toBe('print(1)');
  expect(app.trouble).toEqual([]);
});

test('a page is shown in a frame without an origin, an image as an image, and anything else is for saving', {
  timeout: 90_000,
}, async () => {
  await newFile(
    'page.html',
    '<h1>Hello</h1><p id="o"></p><script>document.getElementById("o").textContent = origin</script>',
  );
  await newFile('drawing.svg', '<svg xmlns="http://www.w3.org/2000/svg"><text y="20">Drawn</text></svg>');
  await newFile('graph.mmd', 'graph TD; A[Start] --> B[End]');
  await newFile('dot.png', Buffer.from(PNG, 'base64'));
  const zip = await newFile('data.zip', Buffer.from([80, 75, 3, 4, 0, 0]));
  const page = await openPage();
  await show(page, 'page.html');
  const frame = panels(page).frameLocator('iframe[title="page.html"]');
  await frame.getByRole('heading', { name: 'Hello' }).waitFor();
  expect(await frame.locator('#o').textContent()).toBe('null');
  await panels(page).getByRole('button', { name: 'Source' }).click();
  await panels(page).getByText('<h1>Hello</h1>').waitFor();
  for (const [name, shown] of [
    ['drawing.svg', () => panels(page).frameLocator('iframe[title="drawing.svg"]').getByText('Drawn')],
    [
      'graph.mmd',
      () => panels(page).frameLocator('iframe[title="Diagram"]').locator('svg .nodeLabel', { hasText: 'Start' }),
    ],
    ['dot.png', () => panels(page).getByRole('img', { name: 'dot.png' })],
  ] as const) {
    await show(page, name);
    await shown().waitFor();
  }
  await show(page, 'data.zip');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    panels(page).getByRole('button', { name: 'Save data.zip' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('data.zip');
  expect(await read(zip)).toContain('PK');
  expect(app.trouble).toEqual([]);
});

test('code of an answer is saved as a file, and an attachment is kept', { timeout: 60_000 }, async () => {
  const page = await openPage();
  await say(page, 'code please');
  await page.getByRole('log').getByRole('button', { name: 'Save as file' }).click();
  await panels(page).getByRole('tab', { name: 'code.py' }).waitFor();
  await panels(page).getByText('print("hello")').waitFor();
  await page.locator('[data-composer] input[type=file]').setInputFiles({
    name: 'attached.txt',
    mimeType: 'text/plain',
    buffer: Buffer.from('attached words'),
  });
  await page.locator('[data-composer]').getByText('attached.txt').waitFor();
  await page.locator('[data-composer]').getByRole('img', { name: 'Uploading…' }).waitFor({ state: 'detached' });
  await say(page, 'look');
  await page.getByRole('log').getByText('attached.txt').waitFor();
  await page.getByRole('button', { name: 'Open panel' }).click();
  await chooseInMenu(page, 'File');
  await panels(page)
    .getByRole('region', { name: 'Files of this session' })
    .getByRole('button', { name: /attached\.txt/ })
    .click();
  await panels(page).getByText('attached words').waitFor();
  await panels(page).getByRole('button', { name: 'Keep as file' }).click();
  await panels(page).getByRole('button', { name: 'File actions' }).waitFor();
  const { artifacts } = await app.parley.ok<{ artifacts: { name: string }[] }>('GET', '/api/artifacts?kind=file');
  expect(artifacts.map(({ name }) => name)).toEqual(expect.arrayContaining(['code.py', 'attached.txt']));
  expect(app.trouble).toEqual([]);
});

test('files are added, found and replaced on their page, also on a telephone', { timeout: 90_000 }, async () => {
  const page = await app.open('/artifacts');
  const picker = page.locator('main input[type=file]');
  await picker.setInputFiles({ name: 'added.csv', mimeType: 'text/csv', buffer: Buffer.from('a,b\nneedle,2\n') });
  await page.getByRole('heading', { name: 'added.csv', level: 1 }).waitFor();
  await page.getByText('needle,2').waitFor();
  await page.locator('main input[type=file]').setInputFiles({
    name: 'other.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from('a,b\nneedle,3\n'),
  });
  await page.getByText('needle,3').waitFor();
  await page.getByRole('link', { name: 'Lists and notes' }).last().click();
  await page.getByRole('button', { name: 'Files', exact: true }).click();
  await page.getByRole('link', { name: /^added\.csv/ }).waitFor();
  await page.getByRole('searchbox', { name: 'Search lists, notes, views and files' }).fill('needle');
  await page.getByRole('link', { name: /added\.csv/ }).click();
  await page.getByText('needle,3').waitFor();
  await expectUsable(app, page, 'kept-file-page');
  expect(app.trouble).toEqual([]);
});

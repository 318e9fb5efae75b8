import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { KnowledgeSource } from '../../contract/knowledge.ts';
import { pdfOf } from '../harness/documents.ts';
import { text } from '../harness/scripted-script.ts';
import { Knowing } from '../suites/knowing.ts';
import { violations } from './axe.ts';
import { WebApp } from './web-app.ts';

const POLICY = pdfOf([['Travel'], ['Refunds take nine days.'], ['Trains are preferred.']]);

let app: WebApp;
let knowing: Knowing;
beforeAll(async () => {
  app = await WebApp.start({
    agents: [
      { agentId: 'ada', displayName: 'Ada', toolAllowlist: ['knowledge_*'] },
      { agentId: 'child', displayName: 'Child', parentAgentId: 'ada' },
    ],
  });
  knowing = new Knowing(app.parley);
}, 60_000);
afterAll(() => app.close());

const row = (page: Page, name: string) =>
  page
    .getByRole('list', { name: /^(Sources|Quellen)$/ })
    .getByRole('listitem')
    .filter({ hasText: name });
const sources = async () =>
  (await app.parley.ok<{ sources: KnowledgeSource[] }>('GET', '/api/knowledge')).sources.map(({ name }) => name);

async function openKnowledge(agentId: string): Promise<Page> {
  const page = await app.open(`/agents/${agentId}`);
  await page.getByRole('tab', { name: 'Knowledge' }).click();
  return page;
}

async function drop(page: Page, name: string, contents: string): Promise<void> {
  const file = `new File([${JSON.stringify(contents)}], ${JSON.stringify(name)}, { type: 'text/plain' })`;
  const data = await page.evaluateHandle(
    `(() => { const transfer = new DataTransfer(); transfer.items.add(${file}); return transfer; })()`,
  );
  await page.getByText('Drop files here').dispatchEvent('drop', { dataTransfer: data });
}

test('files are chosen, dropped, tried, removed with undo and shared with the agents below', async () => {
  const page = await openKnowledge('ada');
  await page.getByText('No knowledge yet').waitFor();
  expect(await violations(page)).toEqual([]);
  const input = page.locator('input[type=file]');
  expect(await input.getAttribute('accept')).toBe(null);
  await input.setInputFiles({ name: 'policy.pdf', mimeType: 'application/pdf', buffer: POLICY });
  await row(page, 'policy.pdf').getByText('3 pages').waitFor();
  await drop(page, 'hours.txt', 'We open at nine.');
  await row(page, 'hours.txt').getByText('1 passage').waitFor();
  await input.setInputFiles({ name: 'broken.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7 no') });
  await row(page, 'broken.pdf')
    .getByText(/It is damaged/)
    .waitFor();
  expect(await violations(page)).toEqual([]);
  await input.setInputFiles({ name: 'x.png', mimeType: 'image/png', buffer: Buffer.from('89504e470d0a1a0a00', 'hex') });
  await page.getByText(/x\.png is none of these/).waitFor();
  await page.getByRole('searchbox', { name: 'Try a search' }).fill('refunds');
  await page.getByRole('link', { name: 'policy.pdf, p. 2' }).waitFor();
  await row(page, 'hours.txt').getByLabel('Also for its sub-agents').check();
  await page.getByRole('button', { name: 'Remove policy.pdf' }).click();
  await row(page, 'policy.pdf').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Undo' }).click();
  await row(page, 'policy.pdf').waitFor();
  const child = await app.openTab(page, '/agents/child#knowledge');
  await row(child, 'hours.txt').getByText('From Ada').waitFor();
});

test('how much of a file was sent is shown, and sending it can be cancelled', { timeout: 90_000 }, async () => {
  const page = await app.open('/knowledge');
  const line = await page.context().newCDPSession(page);
  const slow = { offline: false, latency: 0, downloadThroughput: -1 };
  await line.send('Network.enable');
  await line.send('Network.emulateNetworkConditions', { ...slow, uploadThroughput: 200 * 1024 });
  const large = (name: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.alloc(4_000_000, `${name} `) });
  await page.locator('input[type=file]').setInputFiles([large('slow.txt'), large('next.txt')]);
  const sending = page.getByRole('list', { name: 'Uploads' });
  const bar = sending.getByRole('progressbar', { name: 'Uploading slow.txt' });
  const sent = async () => Number(await bar.getAttribute('value'));
  await expect.poll(sent).toBeGreaterThan(0);
  expect(await sent()).toBeLessThan(4_000_000);
  await sending
    .getByText(/ of \d/)
    .first()
    .waitFor();
  expect(await violations(page)).toEqual([]);
  await sending.getByRole('button', { name: 'Cancel slow.txt' }).click();
  await bar.waitFor({ state: 'detached' });
  await line.send('Network.emulateNetworkConditions', { ...slow, uploadThroughput: -1 });
  await row(page, 'next.txt')
    .getByText(/passages/)
    .waitFor();
  expect(await sources()).not.toContain('slow.txt');
  expect(await sources()).toContain('next.txt');
  expect(app.trouble).toEqual([]);
});

test('a file is renamed where all of them are, and everywhere at once', async () => {
  await knowing.know('draft.txt', 'Trains are green.');
  const page = await app.open('/knowledge');
  await page.getByRole('button', { name: 'Rename draft.txt' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Rename draft.txt' });
  await dialog.getByLabel('Name').fill('Trains.txt');
  await page.keyboard.press('Enter');
  await row(page, 'Trains.txt').waitFor();
  expect(await sources()).toContain('Trains.txt');
  const other = await app.openTab(page, '/knowledge');
  await row(other, 'Trains.txt').waitFor();
  const { sources: all } = await app.parley.ok<{ sources: KnowledgeSource[] }>('GET', '/api/knowledge');
  const { id } = all.find(({ name }) => name === 'Trains.txt')!;
  await app.parley.ok('PATCH', `/api/knowledge/${id}`, { name: 'Rail.txt' });
  await row(other, 'Rail.txt').waitFor();
  await row(page, 'Rail.txt').waitFor();
  await page.getByRole('searchbox', { name: 'Try a search' }).fill('green');
  await page
    .getByRole('link', { name: /Rail\.txt/ })
    .first()
    .waitFor();
  expect(app.trouble).toEqual([]);
});

test('the page of an agent fits a telephone with all its tabs, in German', async () => {
  const page = await app.open('/agents/ada', {
    viewport: { width: 360, height: 740 },
    hasTouch: true,
    locale: 'de-DE',
  });
  await page.getByRole('tab', { name: 'Wissen' }).click();
  await row(page, 'hours.txt').waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  expect(
    await page.evaluate(
      `(() => { const main = document.querySelector('main'); return main.scrollWidth <= main.clientWidth; })()`,
    ),
  ).toBe(true);
  expect(await violations(page)).toEqual([]);
});

test('notes and what other agents have are added in a dialog', async () => {
  await app.parley.ok('POST', '/api/notes', { name: 'Ideas', text: 'A lighthouse.' });
  const page = await openKnowledge('child');
  await page.getByRole('button', { name: 'Note or existing file' }).click();
  await page.getByRole('dialog').getByRole('searchbox').fill('No such note');
  await page.getByRole('dialog').getByText('No results.').waitFor();
  await page.getByRole('dialog').getByRole('searchbox').fill('');
  await page.getByRole('dialog').getByRole('button', { name: 'Ideas' }).click();
  await row(page, 'Ideas').getByText('1 passage').waitFor();
  await page.getByText(/This agent may not search/).waitFor();
});

test('an answer cites its source by a link that opens it at the passage; a forged one leads nowhere', async () => {
  const { id } = await knowing.know('policy.pdf', POLICY, 'ada');
  app.provider.script(({ body }) => {
    const results = (body.messages as { role: string; content: string }[]).filter(({ role }) => role === 'tool');
    const cited = /\[policy[^\]]*\]\([^)]*\)/.exec(results.at(-1)?.content ?? '')?.[0];
    if (!cited)
      return { steps: [{ kind: 'toolCall', id: 'c1', name: 'knowledge_search', input: '{"query":"refunds"}' }] };
    return { steps: text(`Nine days ${cited}. Or not [policy.pdf](/knowledge/no-such-source#p1).`) };
  });
  const session = await app.parley.createSession({ agentId: 'ada' });
  await app.parley.say(session.id, { content: 'How long do refunds take?' });
  const page = await app.open(`/sessions/${session.id}`);
  const link = page.getByRole('link', { name: 'policy.pdf, p. 2' });
  await link.waitFor();
  await page.getByRole('link', { name: 'policy.pdf', exact: true }).click();
  await page.getByText(/Knowledge not found/).waitFor();
  await page.goBack();
  await link.click();
  await page.waitForURL(new RegExp(`/knowledge/${id}#p2$`));
  const passage = page.locator('article[aria-current]');
  await passage.getByText('Refunds take nine days.').waitFor();
  expect(await passage.getAttribute('id')).toBe('p2');
  expect(await violations(page)).toEqual([]);
});

test('everything is on one page, where deleting can be undone, also on a telephone and in German', async () => {
  const page = await app.open('/knowledge', { viewport: { width: 360, height: 740 }, hasTouch: true, locale: 'de-DE' });
  await row(page, 'hours.txt').waitFor();
  await page.getByRole('heading', { name: 'Wissen' }).waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  expect(await violations(page)).toEqual([]);
  const remove = page.getByRole('button', { name: 'hours.txt löschen' });
  expect((await remove.boundingBox())!.height).toBeGreaterThanOrEqual(44);
  await remove.click();
  await row(page, 'hours.txt').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Rückgängig' }).click();
  await row(page, 'hours.txt').waitFor();
  expect(await sources()).toContain('hours.txt');
});

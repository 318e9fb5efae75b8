import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Memory, MemoryList } from '../../contract/memory.ts';
import { callAsTold } from '../suites/calling.ts';
import { violations } from './axe.ts';
import { type ContextOptions, WebApp } from './web-app.ts';

let app: WebApp;
beforeAll(async () => {
  app = await WebApp.start({ agents: [{ agentId: 'ada', displayName: 'Ada', toolAllowlist: ['memory_*'] }] });
  app.provider.script(callAsTold);
}, 60_000);
afterEach(async () => {
  for (const { id } of await memories()) await app.parley.ok('DELETE', `/api/memories/${id}?permanently=true`);
});
afterAll(() => app.close());

const memories = async () => (await app.parley.ok<MemoryList>('GET', '/api/memories')).memories;
const make = (text: string, wanted: object = {}) =>
  app.parley.ok<Memory>('POST', '/api/memories', { agentId: 'ada', text, ...wanted });
const openMemory = async (options?: ContextOptions) => {
  const page = await app.open('/agents/ada', options);
  await page.getByRole('tab', { name: 'Memory' }).click();
  return page;
};
const row = (page: Page, words: string) => page.getByRole('listitem').filter({ hasText: words }).first();
const field = (page: Page, name: string) => page.getByRole('dialog').getByLabel(name, { exact: true });

test('what the agent remembers appears while the page is open, and leads to the message it came from', async () => {
  const page = await openMemory();
  await page.getByText('Nothing remembered yet').waitFor();
  const { id } = await app.parley.createSession({ agentId: 'ada' });
  await app.parley.say(id, { content: 'call memory_save {"text":"The deploy day is Thursday."}' });
  await row(page, 'The deploy day is Thursday.')
    .getByText(/^Ada, /)
    .waitFor();
  expect(await violations(page)).toEqual([]);
  await row(page, 'The deploy day is Thursday.').getByRole('link', { name: /^From/ }).click();
  await page.getByText('call memory_save {"text":"The deploy day is Thursday."}').first().waitFor();
  expect(page.url()).toContain(`/sessions/${id}`);
});

test('it is added, searched, changed with its history, deleted and brought back, by keyboard', async () => {
  const page = await openMemory();
  await page.getByRole('button', { name: 'Add memory' }).press('Enter');
  await field(page, 'What it remembers').fill('Prefers tea.');
  await field(page, 'Topic').fill('drinks');
  await field(page, 'Tags, separated by commas').fill('taste, hot');
  expect(await violations(page)).toEqual([]);
  await field(page, 'Topic').press('Enter');
  await row(page, 'Prefers tea.').getByText('drinks').waitFor();
  await make('Works late.');
  await row(page, 'Works late.').waitFor();
  await page.getByRole('searchbox', { name: 'Search memory' }).fill('TEA');
  await row(page, 'Works late.').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Edit: Prefers tea.' }).press('Enter');
  await field(page, 'What it remembers').fill('Prefers green tea.');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'History: Prefers green tea.' }).click();
  await row(page, 'Prefers green tea.').getByText('Prefers tea.', { exact: true }).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Delete: Prefers green tea.' }).click();
  await page.getByText('No results.').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await row(page, 'Prefers green tea.').waitFor();
  expect((await memories()).map(({ text, tags }) => [text, tags])).toContainEqual([
    'Prefers green tea.',
    ['taste', 'hot'],
  ]);
});

test('a change that is based on an older text is refused, and keeps what was written', async () => {
  const made = await make('first');
  const page = await openMemory();
  await page.getByRole('button', { name: 'Edit: first' }).click();
  await app.parley.ok('PATCH', `/api/memories/${made.id}`, { text: 'second' });
  await field(page, 'What it remembers').fill('third');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('alert').getByText('This memory changed in the meantime.').waitFor();
  expect(await field(page, 'What it remembers').inputValue()).toBe('third');
});

test('everything is reached by touch on a narrow screen', async () => {
  await make('A rather long memory that has to be broken into several lines on a narrow screen.', {
    tags: ['one', 'two'],
  });
  const page = await openMemory({
    viewport: { width: 360, height: 740 },
    hasTouch: true,
    isMobile: true,
  });
  await row(page, 'A rather long').waitFor();
  for (const button of await row(page, 'A rather long').getByRole('button').all()) {
    const box = (await button.boundingBox())!;
    expect(Math.min(box.width, box.height)).toBeGreaterThanOrEqual(44);
    expect(box.x + box.width).toBeLessThanOrEqual(360);
  }
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
  expect(await violations(page)).toEqual([]);
});

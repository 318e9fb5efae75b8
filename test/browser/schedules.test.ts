import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Schedule, ScheduleList } from '../../contract/schedules.ts';
import { text } from '../harness/scripted-script.ts';
import { violations } from './axe.ts';
import { said, WebApp } from './web-app.ts';

let app: WebApp;
beforeAll(async () => {
  app = await WebApp.start({ agents: [{ agentId: 'ada', displayName: 'Ada' }] });
  app.provider.script(({ said: words }) => ({ steps: text(`Re: ${words}`) }));
}, 60_000);
afterEach(async () => {
  for (const { id } of await schedules()) await app.parley.ok('DELETE', `/api/schedules/${id}`);
});
afterAll(() => app.close());

const schedules = async () => (await app.parley.ok<ScheduleList>('GET', '/api/schedules')).schedules;
const make = (wanted: object = {}) =>
  app.parley.ok<Schedule>('POST', '/api/schedules', {
    name: 'Morning',
    content: 'What is due?',
    when: 'every weekday at 8',
    agentId: 'ada',
    ...wanted,
  });
const field = (page: Page, name: string) => page.getByRole('dialog').getByLabel(name, { exact: true });
const row = (page: Page, name: string) => page.getByRole('listitem').filter({ hasText: name });

test('a schedule is made by keyboard, with its next times shown before it is saved', async () => {
  const page = await app.open('/schedules');
  await page.getByText('No schedules yet').waitFor();
  await page.getByRole('button', { name: 'New schedule' }).press('Enter');
  await field(page, 'Name').fill('Morning');
  await field(page, 'Message').fill('What is due?');
  await field(page, 'Agent').selectOption('ada');
  await field(page, 'When').fill('every weekday at');
  await page
    .getByRole('dialog')
    .getByText(/Can't understand the time/)
    .waitFor();
  await field(page, 'When').fill('every weekday at 8');
  await page
    .getByRole('dialog')
    .getByText(/^Runs .* · .* · /)
    .waitFor();
  expect(await violations(page)).toEqual([]);
  await field(page, 'When').press('Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await row(page, 'Morning')
    .getByText(/Next: .*08:00|Next: .*8:00/)
    .waitFor();
  expect(await schedules()).toMatchObject([{ name: 'Morning', when: 'every weekday at 8', agentId: 'ada' }]);
  expect(await violations(page)).toEqual([]);
});

test('it is run, paused, resumed and changed in its row; a run leads to its session', async () => {
  await make();
  const page = await app.open('/schedules');
  const line = row(page, 'Morning');
  await line.getByRole('button', { name: 'Pause Morning' }).click();
  await line.getByText('Paused').waitFor();
  await line.getByRole('button', { name: 'Resume Morning' }).click();
  await line.getByText(/Next: /).waitFor();
  await line.getByRole('button', { name: 'Run Morning now' }).click();
  await line.getByText(/^Last run/).waitFor();
  await line.getByRole('button', { name: 'History of Morning' }).click();
  await line.getByText('Run manually').waitFor();
  await line.getByRole('button', { name: 'Edit Morning' }).click();
  await field(page, 'Message').fill('And what is overdue?');
  await page.getByRole('button', { name: 'Save' }).click();
  await line.getByText('And what is overdue?').waitFor();
  await line.getByRole('link', { name: 'Open session' }).click();
  await said(page, 'Re: What is due?').waitFor();
});

test('a run that happens while the page is open appears in it, and a deleted schedule comes back with undo', async () => {
  const page = await app.open('/schedules');
  await page.getByText('No schedules yet').waitFor();
  await make({ when: new Date(Date.now() + 2000).toISOString(), name: 'Once' });
  await row(page, 'Once').getByText('Ended').waitFor({ timeout: 15_000 });
  await row(page, 'Once')
    .getByText(/^Last run/)
    .waitFor();
  await make({ name: 'Kept' });
  await page.getByRole('button', { name: 'Delete Kept' }).click({ timeout: 15_000 });
  await row(page, 'Kept').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Undo' }).click();
  await row(page, 'Kept').waitFor();
});

test('the name that is taken is said in the form, which keeps what was written', async () => {
  await make();
  const page = await app.open('/schedules');
  await page.getByRole('button', { name: 'New schedule' }).click();
  await field(page, 'Name').fill('Morning');
  await field(page, 'Message').fill('Again');
  await field(page, 'Agent').selectOption('ada');
  await page.getByRole('button', { name: 'Tomorrow at 9' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('alert').getByText('A schedule named "Morning" already exists.').waitFor();
  expect(await field(page, 'Message').inputValue()).toBe('Again');
});

test('everything is reached by touch on a narrow screen', async () => {
  await make();
  const page = await app.open('/schedules', {
    viewport: { width: 360, height: 740 },
    hasTouch: true,
    isMobile: true,
  });
  await row(page, 'Morning').waitFor();
  for (const button of await row(page, 'Morning').getByRole('button').all()) {
    const box = (await button.boundingBox())!;
    expect(Math.min(box.width, box.height)).toBeGreaterThanOrEqual(44);
    expect(box.x + box.width).toBeLessThanOrEqual(360);
  }
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
});

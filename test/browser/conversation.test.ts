import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { FileInfo } from '../../contract/files.ts';
import { gate, text } from '../harness/scripted-script.ts';
import { expectUsable } from './axe.ts';
import { imported, scrolled } from './looking.ts';
import { composer, said, WebApp } from './web-app.ts';

const LONG = { timeout: 90_000 };
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

let app: WebApp;
beforeAll(async () => {
  app = await WebApp.start({
    agents: [
      { agentId: 'ada', displayName: 'Ada' },
      { agentId: 'bob', displayName: 'Bob' },
    ],
  });
}, 60_000);
beforeEach(() => app.provider.script(({ said: words }) => ({ steps: text(`Re: ${words}`) })));
afterAll(() => app.close());

test('what is sent is painted at once, and becomes the stored message without a jump or a double', LONG, async () => {
  const { id } = await app.parley.createSession({ agentId: 'bob' });
  const page = await app.open(`/sessions/${id}`);
  await page.getByRole('heading', { name: 'Bob' }).waitFor();
  const [held, arrived] = [gate(), gate()];
  await page.route(`**/api/sessions/${id}/messages`, async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    arrived.open();
    await held.until;
    return route.continue();
  });
  await composer(page).fill('Painted before the server knows');
  await composer(page).press('Enter');
  await said(page, 'Painted before the server knows').waitFor();
  await arrived.until;
  expect(await app.parley.messages(id)).toEqual([]);
  await expect.poll(() => page.getByRole('heading', { name: 'Bob' }).count()).toBe(0);
  await page.getByRole('log').getByText('Sending…').waitFor();
  // The very element that was painted first has to be there in the end, at the same height all the time.
  await page.evaluate(`(() => {
    const row = document.querySelector('[role=log] [data-key]:has(article)');
    window.first = row.querySelector('article');
    window.heights = new Set();
    window.doubles = 0;
    const look = () => {
      window.heights.add(Math.round(row.getBoundingClientRect().height));
      const all = [...document.querySelectorAll('[role=log] article')];
      if (all.filter((one) => one.textContent.startsWith('Painted before')).length !== 1) window.doubles += 1;
      window.looking = requestAnimationFrame(look);
    };
    look();
  })()`);
  held.open();
  await said(page, 'Re: Painted before the server knows').waitFor();
  await page.getByText('Sending…').waitFor({ state: 'detached' });
  expect(await page.evaluate('window.first.isConnected')).toBe(true);
  expect(await page.evaluate('window.heights.size')).toBe(1);
  expect(await page.evaluate('window.doubles')).toBe(0);
  expect((await app.parley.messages(id)).length).toBe(2);
  expect(app.trouble).toEqual([]);
});

test('sending leads to the end from wherever somebody reads', LONG, async () => {
  const id = await imported(app, 80, (at) => `Line ${at} of many`, 'sent-from-above');
  const page = await app.open(`/sessions/${id}`);
  await said(page, 'Line 79 of many').waitFor();
  await page.getByRole('log').hover();
  await page.mouse.wheel(0, -1500);
  await page.getByRole('button', { name: 'Jump to latest' }).waitFor();
  await composer(page).fill('And this');
  await composer(page).press('Enter');
  await said(page, 'Re: And this').waitFor();
  await expect.poll(async () => (await scrolled(page)).toEnd).toBe(0);
  expect(app.trouble).toEqual([]);
});

test(
  'attached images are shown small and larger by key, everything else by name, size and a way to save it',
  LONG,
  async () => {
    const { id } = await app.parley.createSession({ agentId: 'bob' });
    const upload = async (name: string, type: string, contents: Buffer) => {
      const response = await fetch(`${app.parley.url}/api/files?name=${encodeURIComponent(name)}`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${app.parley.token}`, 'Content-Type': type },
        body: new Uint8Array(contents),
      });
      return (await response.json()) as FileInfo;
    };
    const image = await upload('a plan.png', 'image/png', PNG);
    const notes = await upload('notes.txt', 'text/plain', Buffer.from('x'.repeat(2400)));
    await app.parley.say(id, { content: 'Look at these', files: [image.id, notes.id] });
    const page = await app.open(`/sessions/${id}`);
    const shown = page.getByRole('log').getByRole('img', { name: 'a plan.png' });
    await shown.waitFor();
    const width = () => shown.evaluate((element) => (element as unknown as { naturalWidth: number }).naturalWidth);
    await expect.poll(width).toBe(1);
    const box = await shown.boundingBox();
    expect([box!.width, box!.height].every((side) => side > 100 && side <= 250)).toBe(true);
    await page.getByRole('log').getByRole('button', { name: 'a plan.png' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'a plan.png' });
    await dialog.getByRole('img', { name: 'a plan.png' }).waitFor();
    await app.shot(page, 'image-dialog');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.locator('[role=log] button:focus img').waitFor();
    const chip = page.getByRole('log').getByRole('listitem').filter({ hasText: 'notes.txt' });
    expect(await chip.textContent()).toMatch(/2\s?kB/);
    const saving = page.waitForEvent('download');
    await chip.getByRole('button', { name: 'Download notes.txt' }).click();
    expect((await saving).suggestedFilename()).toBe('notes.txt');
    await expectUsable(app, page, 'attached-files');
    expect(app.trouble).toEqual([]);
  },
);

test('a file that goes along is shown with the message before the server has either', LONG, async () => {
  const { id } = await app.parley.createSession({ agentId: 'bob' });
  const page = await app.open(`/sessions/${id}`);
  await composer(page).fill('With a file');
  const file = { name: 'list.md', mimeType: 'text/markdown', buffer: Buffer.from('- milk') };
  await page.locator('[data-composer] input[type=file]').setInputFiles(file);
  await page.locator('[data-composer]').getByText('list.md').waitFor();
  // Until it is there, the composer asks to wait.
  await page.locator('[data-composer]').getByRole('img', { name: 'Uploading…' }).waitFor({ state: 'detached' });
  const held = gate();
  await page.route(`**/api/sessions/${id}/messages`, async (route) => {
    if (route.request().method() === 'POST') await held.until;
    return route.continue();
  });
  await composer(page).press('Enter');
  await page.getByRole('log').getByText('list.md').waitFor();
  held.open();
  await said(page, /Re: With a file/).waitFor();
  const mine = page.getByRole('article', { name: /^You/ });
  expect([await mine.count(), await mine.getByText('list.md').count()]).toEqual([1, 1]);
  expect(app.trouble).toEqual([]);
});

test(
  'what is finished before one’s eyes is read; what comes while one reads above is not, until one looks',
  LONG,
  async () => {
    const id = await imported(app, 80, (at) => `Unread ${at}`, 'watched');
    const page = await app.open(`/sessions/${id}`);
    await said(page, 'Unread 79').waitFor();
    await app.parley.say(id, { content: 'one' });
    await said(page, 'Re: one').waitFor();
    await expect.poll(async () => (await app.parley.session(id)).unreadCount).toBe(0);
    await page.getByRole('log').hover();
    await page.mouse.wheel(0, -900);
    await page.getByRole('button', { name: 'Jump to latest' }).waitFor();
    await app.parley.say(id, { content: 'two' });
    await page.getByRole('button', { name: '1 new' }).waitFor();
    // Longer than it takes to mark something as read.
    await page.waitForTimeout(1000);
    expect((await app.parley.session(id)).unreadCount).toBe(1);
    await page.getByRole('button', { name: '1 new' }).click();
    await expect.poll(async () => (await app.parley.session(id)).unreadCount).toBe(0);
    expect(app.trouble).toEqual([]);
  },
);

test(
  'a session is called by its name: above what is said, in the tab, and by whatever it is renamed to',
  LONG,
  async () => {
    const { id } = await app.parley.createSession({ agentId: 'bob', name: 'Plans for May' });
    const page = await app.open(`/sessions/${id}`);
    const title = page.getByRole('heading', { level: 1, name: 'Plans for May' });
    await title.waitFor();
    await expect.poll(() => page.title()).toBe('Plans for May · Parley');
    await title.dblclick();
    await page.getByRole('main').getByRole('textbox', { name: 'New name' }).fill('Plans for June');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Plans for June' }).waitFor();
    await expect.poll(() => page.title()).toBe('Plans for June · Parley');
    expect((await app.parley.session(id)).name).toBe('Plans for June');
    await page.getByRole('heading', { level: 1 }).getByRole('button').press('F2');
    await page.getByRole('main').getByRole('textbox', { name: 'New name' }).press('Escape');
    await page.locator('h1 button:focus').waitFor();
    expect(app.trouble).toEqual([]);
  },
);

test(
  'a failed turn says what happened and what to do, also after it was put away and the page loaded anew',
  LONG,
  async () => {
    let isBroken = true;
    app.provider.script(() =>
      isBroken ? { status: 401, body: '{"error":{"message":"bad key"}}' } : { steps: text('Well again.') },
    );
    const { id } = await app.parley.createSession({ agentId: 'bob' });
    const page = await app.open(`/sessions/${id}`);
    await composer(page).fill('Are you there?');
    await composer(page).press('Enter');
    const card = page.getByRole('log').getByRole('group', { name: /Bob/ });
    await card.getByRole('link', { name: 'Open Bob' }).waitFor();
    await app.shot(page, 'failed-turn-asked');
    await card.getByRole('button', { name: 'Dismiss' }).click();
    await page.getByRole('log').getByText("Bob couldn't reply.").waitFor();
    await page.reload();
    await page.getByRole('log').getByText("Bob couldn't reply.").waitFor();
    await page.getByRole('log').getByText('The provider rejected the API key').waitFor();
    await page.getByRole('log').getByText('Details', { exact: true }).click();
    await page
      .getByRole('log')
      .getByText(/bad key/)
      .waitFor();
    expect(await page.getByRole('log').getByRole('link', { name: 'Open Bob' }).getAttribute('href')).toBe(
      '/agents/bob',
    );
    await expectUsable(app, page, 'failed-turn');
    isBroken = false;
    await page.getByRole('log').getByRole('button', { name: 'Try again' }).click();
    await said(page, 'Well again.').waitFor();
    await page.getByText("Bob couldn't reply.").waitFor({ state: 'detached' });
    expect(app.trouble).toEqual([]);
  },
);

test('Escape leads from the box to what was said, one thing at a time, and the help says so', LONG, async () => {
  const id = await imported(app, 40, (at) => `Line ${at}`, 'escaping');
  const page = await app.open(`/sessions/${id}`);
  await said(page, 'Line 39').waitFor();
  const box = composer(page).and(page.locator(':focus'));
  const log = page.getByRole('log').and(page.locator(':focus'));
  const list = page.getByRole('listbox');
  const find = page.getByRole('main').getByRole('search');
  await composer(page).fill('/re');
  await list.waitFor();
  await page.keyboard.press('Escape');
  await list.waitFor({ state: 'detached' });
  await box.waitFor();
  await composer(page).fill('Half a thought');
  await page.keyboard.press('Control+f');
  await find.waitFor();
  await composer(page).focus();
  await page.keyboard.press('Escape');
  await find.waitFor({ state: 'detached' });
  await box.waitFor();
  await page.keyboard.press('Escape');
  await log.waitFor();
  await app.shot(page, 'transcript-focused');
  await page.keyboard.press('i');
  await box.waitFor();
  expect(await composer(page).inputValue()).toBe('Half a thought');
  await page.keyboard.press('Escape');
  await log.waitFor();
  await page.keyboard.press('?');
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  for (const keys of ['Esc', 'F6']) await help.getByText(keys, { exact: true }).waitFor();
  await expectUsable(app, page, 'help');
  await page.keyboard.press('Escape');
  await log.waitFor();
  expect(app.trouble).toEqual([]);
});

test('a turn that failed long ago says so to whoever scrolls up to it, and only then is asked for', LONG, async () => {
  app.provider.script(({ said: words }) =>
    words.startsWith('Try')
      ? { status: 401, body: '{"error":{"message":"bad key"}}' }
      : { steps: text(`Re: ${words}`) },
  );
  const { id } = await app.parley.createSession({ agentId: 'bob' });
  for (let at = 0; at < 70; at++) await app.parley.say(id, { content: at === 5 ? 'Try this' : `Question ${at}` });
  const page = await app.open(`/sessions/${id}`);
  await said(page, 'Re: Question 69').waitFor();
  const asked: string[] = [];
  const isAboutTurns = (url: string) => [`${id}/snapshot`, `${id}/turns`].some((path) => url.includes(path));
  page.on('request', (request) => isAboutTurns(request.url()) && asked.push(request.url()));
  await page.reload();
  await said(page, 'Re: Question 69').waitFor();
  expect(asked).toHaveLength(1);
  const log = page.getByRole('log');
  await log.hover();
  const lookUp = async () => {
    await page.mouse.wheel(0, -2000);
    return log.getByText("Bob couldn't reply.").count();
  };
  await expect.poll(lookUp).toBe(1);
  await log.getByText('The provider rejected the API key').scrollIntoViewIfNeeded();
  await log.getByText('Details', { exact: true }).click();
  await log.getByText(/bad key/).waitFor();
  expect(await log.getByRole('button', { name: 'Try again' }).count()).toBe(1);
  expect(asked).toHaveLength(2);
  await app.shot(page, 'failed-turn-long-ago');
  expect(app.trouble).toEqual([]);
});

test('a branch that was never read here is shown when it is chosen', LONG, async () => {
  const { id } = await app.parley.createSession({ agentId: 'bob' });
  const { message } = await app.parley.say(id, { content: 'The first way' });
  await app.parley.ok('POST', `/api/messages/${message.id}/revisions?wait=30`, { content: 'The second way' });
  const page = await app.open(`/sessions/${id}`);
  await said(page, 'Re: The second way').waitFor();
  await page.getByRole('article', { name: /^You/ }).hover();
  await page.getByRole('button', { name: 'Previous version' }).click();
  await said(page, 'Re: The first way').waitFor();
  expect(await page.getByText('Re: The second way').filter({ visible: true }).count()).toBe(0);
  expect(app.trouble).toEqual([]);
});

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { FileInfo } from '../../contract/files.ts';
import type { SessionList } from '../../contract/sessions.ts';
import { gate, type Script, text } from '../harness/scripted-script.ts';
import { BrowserStage, composer, said } from './stage.ts';

const LONG = { timeout: 90_000 };
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

let stage: BrowserStage;
beforeAll(async () => {
  stage = await BrowserStage.start({
    agents: [
      { agentId: 'ada', displayName: 'Ada', toolAllowlist: ['bash'], approvals: { bash: 'allow' } },
      { agentId: 'bob', displayName: 'Bob' },
    ],
    config: { tools: { bash: { agents: ['ada'] } } },
  });
}, 60_000);
beforeEach(() => stage.provider.script(({ said: words }) => ({ steps: text(`Re: ${words}`) })));
afterAll(() => stage.close());

/** So many messages, two by two. */
async function imported(count: number, words: (at: number) => string, name: string): Promise<string> {
  const messages = Array.from({ length: count }, (_, at) => ({
    role: at % 2 ? 'assistant' : 'user',
    content: words(at),
    ...(at % 2 && { agent: 'ada' }),
  }));
  const { id } = await stage.parley.ok<{ id: string }>('POST', `/api/imports?name=${name}`, { agent: 'ada', messages });
  return id;
}

/** Of the transcript that is shown. */
function scrolled(page: Page): Promise<{ top: number; toEnd: number }> {
  return page.evaluate(`(() => {
    const log = [...document.querySelectorAll('[role=log]')].find((one) => one.checkVisibility());
    return { top: log.scrollTop, toEnd: log.scrollHeight - log.clientHeight - log.scrollTop };
  })()`);
}

/** How far below the top of the transcript a row begins. */
function topOf(page: Page, key: string): Promise<number | null> {
  return page.evaluate(`(() => {
    const row = document.querySelector('[data-key="${key}"]');
    const log = row?.closest('[role=log]');
    return log?.checkVisibility() ? row.getBoundingClientRect().top - log.getBoundingClientRect().top : null;
  })()`);
}

function open(page: Page, name: string): Promise<void> {
  return page.getByRole('treeitem', { name: new RegExp(name) }).click();
}

test('what is sent is painted at once, and becomes the stored message without a jump or a double', LONG, async () => {
  const { id } = await stage.parley.createSession({ agentId: 'bob' });
  const page = await stage.open(`/sessions/${id}`);
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
  expect(await stage.parley.messages(id)).toEqual([]);
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
  expect((await stage.parley.messages(id)).length).toBe(2);
  expect(stage.trouble).toEqual([]);
});

test('sending leads to the end from wherever somebody reads', LONG, async () => {
  const id = await imported(80, (at) => `Line ${at} of many`, 'sent-from-above');
  const page = await stage.open(`/sessions/${id}`);
  await said(page, 'Line 79 of many').waitFor();
  await page.getByRole('log').hover();
  await page.mouse.wheel(0, -1500);
  await page.getByRole('button', { name: 'Newest' }).waitFor();
  await composer(page).fill('And this');
  await composer(page).press('Enter');
  await said(page, 'Re: And this').waitFor();
  await expect.poll(async () => (await scrolled(page)).toEnd).toBe(0);
  expect(stage.trouble).toEqual([]);
});

test(
  'attached images are shown small and larger by key, everything else by name, size and a way to save it',
  LONG,
  async () => {
    const { id } = await stage.parley.createSession({ agentId: 'bob' });
    const upload = async (name: string, type: string, contents: Buffer) => {
      const response = await fetch(`${stage.parley.url}/api/files?name=${encodeURIComponent(name)}`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${stage.parley.token}`, 'Content-Type': type },
        body: new Uint8Array(contents),
      });
      return (await response.json()) as FileInfo;
    };
    const image = await upload('a plan.png', 'image/png', PNG);
    const notes = await upload('notes.txt', 'text/plain', Buffer.from('x'.repeat(2400)));
    await stage.parley.say(id, { content: 'Look at these', files: [image.id, notes.id] });
    const page = await stage.open(`/sessions/${id}`);
    const shown = page.getByRole('log').getByRole('img', { name: 'a plan.png' });
    await shown.waitFor();
    expect(await shown.evaluate((element) => (element as unknown as { naturalWidth: number }).naturalWidth)).toBe(1);
    const box = await shown.boundingBox();
    expect([box!.width, box!.height].every((side) => side > 100 && side <= 250)).toBe(true);
    await page.getByRole('log').getByRole('button', { name: 'a plan.png' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'a plan.png' });
    await dialog.getByRole('img', { name: 'a plan.png' }).waitFor();
    await stage.shot(page, 'image-dialog');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.locator('[role=log] button:focus img').waitFor();
    const chip = page.getByRole('log').getByRole('listitem').filter({ hasText: 'notes.txt' });
    expect(await chip.textContent()).toMatch(/2\s?kB/);
    const saving = page.waitForEvent('download');
    await chip.getByRole('link', { name: 'Download notes.txt' }).click();
    expect((await saving).suggestedFilename()).toBe('notes.txt');
    await stage.shot(page, 'attached-files');
    expect(stage.trouble).toEqual([]);
  },
);

test('a file that goes along is shown with the message before the server has either', LONG, async () => {
  const { id } = await stage.parley.createSession({ agentId: 'bob' });
  const page = await stage.open(`/sessions/${id}`);
  await composer(page).fill('With a file');
  const file = { name: 'list.md', mimeType: 'text/markdown', buffer: Buffer.from('- milk') };
  await page.locator('[data-composer] input[type=file]').setInputFiles(file);
  await page.locator('[data-composer]').getByText('list.md').waitFor();
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
  expect(stage.trouble).toEqual([]);
});

test(
  'sessions that stream keep streaming, their place and what was opened in them, while one goes from one to another',
  LONG,
  async () => {
    const one = await imported(80, (at) => `First ${at}`, 'kept-one');
    const two = await imported(80, (at) => `Second ${at}`, 'kept-two');
    const held = gate();
    stage.provider.script(({ said: words }) => ({
      steps: [
        { kind: 'reasoning', text: 'Hm. ' },
        ...text(`Begin ${words}`),
        { kind: 'gate', until: held.until },
        ...text(` End ${words}`),
      ],
    }));
    await stage.parley.send(one, { content: 'eins' });
    await stage.parley.send(two, { content: 'zwei' });
    const page = await stage.open(`/sessions/${one}`);
    await said(page, 'Begin eins').waitFor();
    await page.getByRole('log').hover();
    await page.mouse.wheel(0, -900);
    await page.getByRole('button', { name: 'Newest' }).waitFor();
    await expect.poll(async () => (await scrolled(page)).toEnd).toBeGreaterThan(300);
    const before = await scrolled(page);
    await open(page, 'kept-two');
    await said(page, 'Begin zwei').waitFor();
    expect(await page.getByRole('log').count()).toBe(1);
    expect(await page.getByRole('main').count()).toBe(1);
    await page
      .getByRole('log')
      .getByRole('button', { name: /Thoughts|Thinking/ })
      .click();
    await open(page, 'kept-one');
    await expect.poll(() => scrolled(page)).toEqual(before);
    held.open();
    await open(page, 'kept-two');
    await said(page, 'Begin zwei End zwei').waitFor();
    await expect.poll(async () => (await scrolled(page)).toEnd).toBe(0);
    await open(page, 'kept-one');
    await expect.poll(async () => (await scrolled(page)).top).toBe(before.top);
    await page.getByRole('button', { name: /Newest|new$/ }).click();
    await said(page, 'Begin eins End eins').waitFor();
    await expect.poll(async () => (await scrolled(page)).toEnd).toBe(0);
    expect(stage.trouble).toEqual([]);
  },
);

test('a conversation comes back where it was left, also when four others were shown since', LONG, async () => {
  const id = await imported(600, (at) => `Far ${at}`, 'left-far-up');
  const others: string[] = [];
  for (let n = 0; n < 5; n++) others.push(await imported(4, (at) => `Other ${n} ${at}`, `between-${n}`));
  const page = await stage.open(`/sessions/${id}`);
  await said(page, 'Far 599').waitFor();
  await page.getByRole('log').hover();
  for (let turn = 0; turn < 4; turn++) {
    await page.mouse.wheel(0, -4000);
    await page.waitForTimeout(150);
  }
  await page.getByText('Loading earlier messages…').waitFor({ state: 'detached' });
  await expect.poll(async () => (await scrolled(page)).top).toBeGreaterThan(0);
  const key = (await page.evaluate(`(() => {
    const log = document.querySelector('[role=log]');
    const top = log.getBoundingClientRect().top;
    const rows = [...log.querySelectorAll('[data-key]:has(article)')];
    return rows.find((row) => row.getBoundingClientRect().top >= top).dataset.key;
  })()`)) as string;
  const before = (await topOf(page, key))!;
  for (let n = 0; n < 5; n++) {
    await open(page, `between-${n}`);
    await said(page, `Other ${n} 3`).waitFor();
  }
  expect(await page.locator('[role=log]').count()).toBe(4);
  await open(page, 'left-far-up');
  await expect.poll(() => topOf(page, key)).not.toBeNull();
  await expect.poll(async () => Math.abs((await topOf(page, key))! - before)).toBeLessThanOrEqual(1);
  expect(stage.trouble).toEqual([]);
});

test('the end stays in view to the pixel while an answer streams and the composer grows', LONG, async () => {
  const id = await imported(40, (at) => `Line ${at}\n\nand more of it`, 'stuck');
  const held = gate();
  stage.provider.script(() => ({
    steps: [
      ...Array.from({ length: 60 }, () => [
        { kind: 'text' as const, text: 'Some **words** in a sentence.\n\n' },
        { kind: 'wait' as const, ms: 8 },
      ]).flat(),
      { kind: 'gate', until: held.until },
      ...text('Finished.'),
    ],
  }));
  const page = await stage.open(`/sessions/${id}`);
  await said(page, 'Line 39').waitFor();
  await page.evaluate(`(() => {
    window.worst = 0;
    const log = document.querySelector('[role=log]');
    let painted = 0;
    // Told after the page's own observers, and before anything is painted; of one picture, the last counts.
    const observer = new ResizeObserver(() => {
      painted = log.scrollHeight - log.clientHeight - log.scrollTop;
    });
    observer.observe(log);
    observer.observe(log.firstElementChild);
    const look = () => {
      window.worst = Math.max(window.worst, painted);
      requestAnimationFrame(look);
    };
    look();
  })()`);
  await composer(page).fill('Go on');
  await composer(page).press('Enter');
  for (let line = 0; line < 6; line++) {
    await composer(page).press('Shift+Enter');
    await page.waitForTimeout(30);
  }
  held.open();
  await said(page, 'Finished.').waitFor();
  await expect.poll(async () => (await scrolled(page)).toEnd).toBe(0);
  expect(await page.evaluate('Math.round(window.worst)')).toBe(0);
  expect(stage.trouble).toEqual([]);
});

test('pages that are read above leave what is being read where it is', LONG, async () => {
  const id = await imported(400, (at) => `Row ${at}${'\n\nmore'.repeat(at % 4)}`, 'prepended');
  const page = await stage.open(`/sessions/${id}`);
  await said(page, 'Row 399').waitFor();
  const held = gate();
  let asked = 0;
  await page.route(/\/messages\?before=/, async (route) => {
    asked += 1;
    await held.until;
    return route.continue();
  });
  await page.getByRole('log').hover();
  await page.mouse.wheel(0, -100_000);
  await expect.poll(() => asked).toBeGreaterThan(0);
  await page.getByText('Loading earlier messages…').waitFor();
  await expect.poll(async () => (await scrolled(page)).top).toBe(0);
  const key = (await page.evaluate(
    `[...document.querySelectorAll('[role=log] [data-key]:has(article)')].at(4).dataset.key`,
  )) as string;
  const before = (await topOf(page, key))!;
  held.open();
  await page.getByText('Loading earlier messages…').waitFor({ state: 'detached' });
  await expect.poll(async () => (await scrolled(page)).top).toBeGreaterThan(1000);
  expect(Math.abs((await topOf(page, key))! - before)).toBeLessThanOrEqual(1);
  expect(stage.trouble).toEqual([]);
});

test('find reaches what was said long ago, counts everything, and steps by key', LONG, async () => {
  const id = await imported(
    2000,
    (at) => (at % 500 === 7 ? `The **needle** of ${at} lies here` : `Hay number ${at}`),
    'haystack',
  );
  const page = await stage.open(`/sessions/${id}`);
  await said(page, 'Hay number 1999').waitFor();
  await composer(page).press('Control+f');
  const box = page.getByRole('textbox', { name: 'Find in this session' });
  await box.fill('needl');
  await page.getByText('4 of 4').waitFor();
  await said(page, 'of 1507 lies here').waitFor();
  expect(await page.evaluate(`CSS.highlights.get('found-current').size`)).toBe(1);
  await box.press('Enter');
  await page.getByText('1 of 4').waitFor();
  await said(page, 'of 7 lies here').waitFor();
  expect(await page.getByRole('log').getByRole('article').count()).toBeLessThanOrEqual(40);
  await expect.poll(() => page.evaluate(`CSS.highlights.get('found-current').size`)).toBe(1);
  const marked = await page.evaluate(`(() => {
    const [range] = CSS.highlights.get('found-current');
    const { top, bottom } = range.getBoundingClientRect();
    const page = document.querySelector('[role=log]').getBoundingClientRect();
    return { words: range.toString(), isSeen: top >= page.top && bottom <= page.bottom };
  })()`);
  expect(marked).toEqual({ words: 'needl', isSeen: true });
  await stage.shot(page, 'find');
  await page.keyboard.press('F3');
  await page.getByText('2 of 4').waitFor();
  await said(page, 'of 507 lies here').waitFor();
  await box.press('Shift+Enter');
  await page.getByText('1 of 4').waitFor();
  await stage.parley.say(id, { content: 'Another needle' });
  await page.getByText('1 of 6').waitFor();
  await box.fill('nowhere at all');
  await page.getByText('Nothing found').waitFor();
  await box.press('Escape');
  await page.locator('[data-composer] textarea:focus').waitFor();
  expect(await page.evaluate(`CSS.highlights.size`)).toBe(0);
  expect(stage.trouble).toEqual([]);
});

test('a second Ctrl+F in the box is left to the browser', LONG, async () => {
  const id = await imported(10, (at) => `Some ${at}`, 'twice-found');
  const page = await stage.open(`/sessions/${id}`);
  await said(page, 'Some 9').waitFor();
  await page.evaluate(`(() => {
    window.kept = [];
    addEventListener('keydown', (event) => event.key === 'f' && setTimeout(() => window.kept.push(event.defaultPrevented)));
  })()`);
  await page.getByRole('log').press('Control+f');
  await page.getByRole('textbox', { name: 'Find in this session' }).press('Control+f');
  await expect.poll(() => page.evaluate('window.kept')).toEqual([true, false]);
  expect(stage.trouble).toEqual([]);
});

test('an address that names a message leads to it, however far up it is', LONG, async () => {
  const id = await imported(2000, (at) => `Said ${at} once`, 'named');
  const early = (
    await stage.parley.ok<{ messages: { id: string; text: string }[] }>(
      'GET',
      `/api/sessions/${id}/messages?after=40&limit=10`,
    )
  ).messages.find(({ text: words }) => words === 'Said 42 once')!;
  const page = await stage.open(`/sessions/${id}?message=${early.id}`);
  await said(page, 'Said 42 once').waitFor();
  await expect.poll(() => topOf(page, early.id)).toBeGreaterThan(100);
  await expect.poll(() => topOf(page, early.id)).toBeLessThan(700);
  await expect.poll(() => page.locator(`[data-key="${early.id}"][data-marked]`).count()).toBe(0);
  expect(stage.trouble).toEqual([]);
});

test(
  'what is finished before one’s eyes is read; what comes while one reads above is not, until one looks',
  LONG,
  async () => {
    const id = await imported(80, (at) => `Unread ${at}`, 'watched');
    const page = await stage.open(`/sessions/${id}`);
    await said(page, 'Unread 79').waitFor();
    await stage.parley.say(id, { content: 'one' });
    await said(page, 'Re: one').waitFor();
    await expect.poll(async () => (await stage.parley.session(id)).unreadCount).toBe(0);
    await page.getByRole('log').hover();
    await page.mouse.wheel(0, -900);
    await page.getByRole('button', { name: 'Newest' }).waitFor();
    await stage.parley.say(id, { content: 'two' });
    await page.getByRole('button', { name: '1 new' }).waitFor();
    expect((await stage.parley.session(id)).unreadCount).toBe(1);
    await page.getByRole('button', { name: '1 new' }).click();
    await expect.poll(async () => (await stage.parley.session(id)).unreadCount).toBe(0);
    expect(stage.trouble).toEqual([]);
  },
);

test(
  'a session is called by its name: above what is said, in the tab, and by whatever it is renamed to',
  LONG,
  async () => {
    const { id } = await stage.parley.createSession({ agentId: 'bob', name: 'Plans for May' });
    const page = await stage.open(`/sessions/${id}`);
    const title = page.getByRole('heading', { level: 1, name: 'Plans for May' });
    await title.waitFor();
    await expect.poll(() => page.title()).toBe('Plans for May · Parley');
    await title.dblclick();
    await page.getByRole('main').getByRole('textbox', { name: 'New name' }).fill('Plans for June');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Plans for June' }).waitFor();
    await expect.poll(() => page.title()).toBe('Plans for June · Parley');
    expect((await stage.parley.session(id)).name).toBe('Plans for June');
    await page.getByRole('heading', { level: 1 }).getByRole('button').press('F2');
    await page.getByRole('main').getByRole('textbox', { name: 'New name' }).press('Escape');
    await page.locator('h1 button:focus').waitFor();
    expect(stage.trouble).toEqual([]);
  },
);

test('a tool that works in a session of its own says so, and each leads to the other', LONG, async () => {
  const sign = path.join(stage.parley.home, 'go-on');
  const command = `echo begun; until [ -e '${sign}' ]; do sleep 0.05; done; echo ended`;
  stage.provider.script(({ body }): Script => {
    const messages = body.messages as { role: string }[];
    const isFirst = messages.filter(({ role }) => role === 'tool').length === 0;
    if (!isFirst) return { steps: text('It runs.') };
    return { steps: [{ kind: 'toolCall', name: 'bash', input: JSON.stringify({ command, background: true }) }] };
  });
  const { id } = await stage.parley.createSession({ agentId: 'ada', name: 'Where it began' });
  const page = await stage.open(`/sessions/${id}`);
  await composer(page).fill('Build it');
  await composer(page).press('Enter');
  const notice = page.getByRole('dialog').filter({ hasText: 'opened bash: echo begun' });
  await notice.waitFor();
  await page.locator('[data-composer] textarea:focus').waitFor();
  await said(page, 'It runs.').waitFor();
  await page.getByRole('treeitem', { name: /bash: echo begun/ }).waitFor();
  const way = page.getByRole('log').getByRole('link', { name: /Goes on in bash: echo begun/ });
  await way.waitFor();
  await stage.shot(page, 'tool-session-parent');
  await notice.getByRole('button', { name: 'Open' }).click();
  const { sessions } = await stage.parley.ok<SessionList>('GET', `/api/sessions?parent=${id}`);
  await page.waitForURL(`**/sessions/${sessions[0]!.id}`);
  await said(page, 'begun').waitFor();
  await stage.shot(page, 'tool-session-child');
  await page.getByRole('main').getByRole('link', { name: 'Opened by Where it began' }).click();
  await page.waitForURL(`**/sessions/${id}`);
  await page.reload();
  await way.click();
  await page.waitForURL(`**/sessions/${sessions[0]!.id}`);
  writeFileSync(sign, '');
  await said(page, /ended/).waitFor();
  expect(stage.trouble).toEqual([]);
});

test(
  'a failed turn says what happened and what to do, also after it was put away and the page loaded anew',
  LONG,
  async () => {
    let isBroken = true;
    stage.provider.script(() =>
      isBroken ? { status: 401, body: '{"error":{"message":"bad key"}}' } : { steps: text('Well again.') },
    );
    const { id } = await stage.parley.createSession({ agentId: 'bob' });
    const page = await stage.open(`/sessions/${id}`);
    await composer(page).fill('Are you there?');
    await composer(page).press('Enter');
    const card = page.getByRole('log').getByRole('region', { name: /Bob/ });
    await card.getByRole('link', { name: 'Open Bob' }).waitFor();
    await stage.shot(page, 'failed-turn-asked');
    await card.getByRole('button', { name: 'Dismiss' }).click();
    await page.getByRole('log').getByText('Bob could not answer.').waitFor();
    await page.reload();
    await page.getByRole('log').getByText('Bob could not answer.').waitFor();
    await page
      .getByRole('log')
      .getByText(/bad key/)
      .waitFor();
    expect(await page.getByRole('log').getByRole('link', { name: 'Open Bob' }).getAttribute('href')).toBe(
      '/agents/bob',
    );
    await stage.shot(page, 'failed-turn');
    isBroken = false;
    await page.getByRole('log').getByRole('button', { name: 'Try again' }).click();
    await said(page, 'Well again.').waitFor();
    await page.getByText('Bob could not answer.').waitFor({ state: 'detached' });
    expect(stage.trouble).toEqual([]);
  },
);

test('a branch that was never read here is shown when it is chosen', LONG, async () => {
  const { id } = await stage.parley.createSession({ agentId: 'bob' });
  const { message } = await stage.parley.say(id, { content: 'The first way' });
  await stage.parley.ok('POST', `/api/messages/${message.id}/revisions?wait=30`, { content: 'The second way' });
  const page = await stage.open(`/sessions/${id}`);
  await said(page, 'Re: The second way').waitFor();
  await page.getByRole('article', { name: /^You/ }).hover();
  await page.getByRole('button', { name: 'Previous version' }).click();
  await said(page, 'Re: The first way').waitFor();
  expect(await page.getByText('Re: The second way').filter({ visible: true }).count()).toBe(0);
  expect(stage.trouble).toEqual([]);
});

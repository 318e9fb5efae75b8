import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectUsable } from './axe.ts';
import { dataOf, ShareFixture, TITLE, words } from './share-fixture.ts';
import { composer, said, type WebApp } from './web-app.ts';

const LONG = { timeout: 90_000 };

let garden: ShareFixture;
let app: WebApp;
beforeAll(async () => {
  garden = await ShareFixture.start();
  app = garden.app;
}, 60_000);
afterAll(() => app.close());

/** Tab by tab until something has the keyboard. */
async function tabTo(page: Page, wanted: Locator): Promise<void> {
  for (let presses = 0; presses < 40; presses++) {
    await page.keyboard.press('Tab');
    if ((await wanted.and(page.locator(':focus')).count()) > 0) return;
  }
  throw new Error(`the keyboard never came to ${wanted}`);
}

/** A key of the whole app, pressed where nothing is being written. */
async function press(page: Page, key: string): Promise<void> {
  await composer(page).waitFor();
  await page.locator('#main').focus();
  await page.keyboard.press(key);
}

describe('sharing', () => {
  test('a session is shared from the list by keyboard alone, and read by somebody who is not signed in', {
    timeout: 90_000,
  }, async () => {
    const id = await garden.talk();
    const page = await app.open(`/sessions/${id}`);
    await said(page, 'And you?').waitFor();
    await tabTo(page, page.locator(`[role=treeitem][data-key="${id}"]`));
    await page.keyboard.press('Shift+F10');
    await page.getByRole('menuitem', { name: 'Share…' }).waitFor();
    await page.keyboard.type('Sh');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: `Share “${TITLE}”` });
    await dialog.getByText('works only on this machine').waitFor();
    await tabTo(page, dialog.getByRole('button', { name: 'Create link' }));
    await page.keyboard.press('Enter');
    const field = dialog.getByRole('textbox', { name: `Link to “${TITLE}”, created` });
    await field.and(page.locator(':focus')).waitFor();
    await dialog.getByRole('status').getByText('Link created.').waitFor();
    const url = await field.inputValue();
    expect((await garden.linksOf(id)).map((each) => each.url)).toEqual([url]);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.locator(`[role=treeitem][data-key="${id}"]:focus`).waitFor();

    const { page: other, asked, context } = await garden.visit(url);
    await words(other, 'So it is.').waitFor();
    await other.getByRole('heading', { level: 1, name: TITLE }).waitFor();
    await words(other, 'Read-only copy').waitFor();
    expect(asked).toEqual([dataOf(url)]);
    expect(await context.cookies()).toEqual([]);
    const html = await other.content();
    for (const hidden of [id, 'rhubarb', /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/]) expect(html).not.toMatch(hidden);
    expect(app.trouble).toEqual([]);
  });

  test('the palette, a key and the composer lead there too, and give the keyboard back', {
    timeout: 90_000,
  }, async () => {
    const page = await app.open(`/sessions/${garden.session}`);
    const dialog = page.getByRole('dialog', { name: 'Share' });
    await composer(page).focus();
    for (let twice = 0; twice < 2; twice++) {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox').fill('Share this');
      await page.keyboard.press('Enter');
      await dialog.waitFor();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await page.locator('[data-composer] textarea:focus').waitFor();
    }
    await composer(page).fill('/share');
    await page.keyboard.press('Enter');
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await page.locator('[data-composer] textarea:focus').waitFor();
    expect(await composer(page).inputValue()).toBe('');
    await press(page, 's');
    await dialog.waitFor();
    await page.goto(`${app.parley.url}/settings`);
    await page.getByRole('heading', { name: 'Shared links' }).waitFor();
    await page.keyboard.press('s');
    await page.getByText('Open the session you want to share first.').waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('Share this');
    await page.getByText('No results.').waitFor();
  });

  test('a link is copied with the clipboard of the page, or without one', { timeout: 60_000 }, async () => {
    const permissions = ['clipboard-read', 'clipboard-write'];
    const page = await app.open(`/sessions/${garden.session}`, { permissions });
    const dialog = page.getByRole('dialog');
    await said(page, 'So it is.').waitFor();
    await press(page, 's');
    const copy = dialog.getByRole('button', { name: /^Copy link/ }).first();
    for (const forgets of [false, true]) {
      await page.evaluate('navigator.clipboard.writeText("before")');
      if (forgets)
        await page.evaluate(`globalThis.kept = navigator.clipboard;
          Object.defineProperty(navigator, 'clipboard', { value: undefined })`);
      await copy.click();
      await dialog.getByText('Link copied.').waitFor();
      const copied = await page.evaluate('(globalThis.kept ?? navigator.clipboard).readText()');
      expect([forgets, copied]).toEqual([forgets, garden.link.url]);
    }
    expect(app.trouble).toEqual([]);
  });

  test('on a narrow screen the list makes room for it, and a second thought closes no more than the question', {
    timeout: 60_000,
  }, async () => {
    const page = await app.open(`/sessions/${await garden.talk()}`, { viewport: { width: 360, height: 740 } });
    await page.getByRole('button', { name: 'Sessions' }).click();
    await page.getByRole('treeitem', { name: TITLE }).first().focus();
    await page.keyboard.press('Shift+F10');
    await page.getByRole('menuitem', { name: 'Share…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Share' });
    await dialog.waitFor();
    await page.getByRole('tree').waitFor({ state: 'detached' });
    await dialog.getByRole('button', { name: 'Create link' }).click();
    const back = dialog.getByRole('button', { name: /^Revoke/ });
    await back.click();
    await dialog.getByText('Revoke this link?').waitFor();
    await page.keyboard.press('Escape');
    await back.and(page.locator(':focus')).waitFor();
    await back.press('Enter');
    await page.keyboard.press('Enter');
    await dialog.getByText('Link revoked.').waitFor();
    expect(await dialog.getByRole('listitem').count()).toBe(0);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(app.trouble).toEqual([]);
  });

  test('a link says whether it shows what tools did, where it is made and in the settings', LONG, async () => {
    const id = await garden.talk();
    const page = await app.open(`/sessions/${id}`);
    await said(page, 'So it is.').waitFor();
    await press(page, 's');
    const dialog = page.getByRole('dialog', { name: 'Share' });
    await dialog.getByRole('button', { name: 'Create link' }).click();
    await dialog.getByRole('listitem').first().waitFor();
    await dialog.getByRole('checkbox').check();
    await dialog.getByRole('button', { name: 'Create link' }).click();
    const marked = (place: Locator) => place.getByText(/^Created .*, with tool inputs and outputs$/);
    await marked(dialog.getByRole('listitem').first()).waitFor();
    expect([await dialog.getByRole('listitem').count(), await marked(dialog).count()]).toEqual([2, 1]);
    const [whole, plain] = await garden.linksOf(id);
    expect([whole!.toolDetails, plain!.toolDetails]).toEqual([true, false]);
    await page.goto(`${app.parley.url}/settings`);
    const rowOf = (url: string) => page.getByRole('listitem').filter({ has: page.locator(`[value="${url}"]`) });
    await marked(rowOf(whole!.url)).waitFor();
    expect(await marked(rowOf(plain!.url)).count()).toBe(0);
    expect(app.trouble).toEqual([]);
  });

  test('where nothing was said there is nothing to share, and it says so', { timeout: 60_000 }, async () => {
    const { id } = await app.parley.createSession({ agentId: 'ada' });
    const page = await app.open(`/sessions/${id}`);
    await page.getByRole('main').getByText('Ada Gardener').first().waitFor();
    await press(page, 's');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('This session has no messages yet.').waitFor();
    expect(await dialog.getByRole('button', { name: 'Create link' }).count()).toBe(0);
  });
});

describe('a link that is taken back', () => {
  test('leads nowhere, in the same words as one that never was', { timeout: 90_000 }, async () => {
    const id = await garden.talk();
    const shared = await garden.share(id);
    const page = await app.open('/settings');
    const section = page.getByRole('region', { name: 'Shared links' }).first();
    const row = section.getByRole('listitem').filter({ has: page.locator(`[value="${shared.url}"]`) });
    await row.getByRole('link', { name: TITLE }).waitFor();
    await row.getByRole('button', { name: /^Revoke/ }).click();
    await row.getByText("This can't be undone.").waitFor();
    await page.keyboard.press('Escape');
    await row.locator('button[aria-expanded=false]:focus').waitFor();
    expect(await garden.linksOf(id)).toHaveLength(1);
    await page.keyboard.press('Enter');
    await page.context().setOffline(true);
    await row.getByRole('button', { name: 'Revoke link', exact: true }).click();
    await row.getByText('Not revoked').waitFor();
    await page.context().setOffline(false);
    await row.getByRole('button', { name: 'Revoke link', exact: true }).click();
    await section.getByRole('status').getByText('Link revoked.').waitFor();
    await row.waitFor({ state: 'detached' });
    expect(await garden.linksOf(id)).toEqual([]);
    const said: (string | null)[] = [];
    for (const url of [shared.url, `${app.parley.url}/s/${'x'.repeat(43)}`, `${app.parley.url}/s/${'y'.repeat(300)}`]) {
      const { page: other } = await garden.visit(url);
      await other.getByRole('heading', { name: 'Link not found' }).waitFor();
      said.push(await other.getByRole('main').textContent());
    }
    expect(new Set(said).size).toBe(1);
    expect(app.trouble).toEqual([]);
  });
});

describe('going on from a copy', () => {
  test('is for whoever is signed in; the original stays as it is', { timeout: 90_000 }, async () => {
    const before = await app.parley.messages(garden.session);
    const { page: stranger } = await garden.visit(garden.link.url);
    await words(stranger, 'open this link in a browser that is signed in to this Parley').waitFor();
    expect(await stranger.getByRole('button', { name: 'Continue as a copy' }).count()).toBe(0);
    const page = await app.openTab(await app.open('/'), new URL(garden.link.url).pathname);
    await page.getByRole('button', { name: 'Continue as a copy' }).first().click();
    await page.waitForURL('**/sessions/*');
    await said(page, 'So it is.').waitFor();
    const copy = new URL(page.url()).pathname.split('/').at(-1)!;
    expect(copy).not.toBe(garden.session);
    await composer(page).fill('And what about peas?');
    await composer(page).press('Enter');
    await said(page, 'And what about peas?').waitFor();
    await expect.poll(async () => (await app.parley.messages(copy)).length).toBeGreaterThan(before.length);
    expect(await app.parley.messages(garden.session)).toEqual(before);
    const { page: after } = await garden.visit(garden.link.url);
    await words(after, 'So it is.').waitFor();
    expect(await after.getByText('peas').count()).toBe(0);
    expect(app.trouble).toEqual([]);
  });
});

describe.each(['dark', 'light'] as const)('in the %s theme', (colorScheme) => {
  test('the dialog and the list pass the checks for WCAG 2.2 AA, wide and narrow', { timeout: 90_000 }, async () => {
    const page = await app.open(`/sessions/${garden.session}`, { colorScheme });
    await said(page, 'So it is.').waitFor();
    await press(page, 's');
    await page.getByRole('button', { name: 'Create link' }).click();
    await page
      .getByRole('button', { name: /^Revoke/ })
      .first()
      .click();
    const tab = await app.openTab(page, '/settings#shares');
    await tab
      .getByRole('button', { name: /^Revoke/ })
      .first()
      .waitFor();
    await expectUsable(app, page, `share-dialog-${colorScheme}`);
    await expectUsable(app, tab, `shared-links-${colorScheme}`);
    expect(app.trouble).toEqual([]);
  });
});

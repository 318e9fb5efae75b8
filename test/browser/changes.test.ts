import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../harness/parley.ts';
import { text } from '../harness/scripted-script.ts';
import { expectUsable } from './axe.ts';
import { openSession, say } from './doing.ts';
import { composer, WebApp } from './web-app.ts';

let app: WebApp;
beforeAll(async () => {
  app = await WebApp.start({ agents: [{ agentId: 'ada', displayName: 'Ada' }] });
  app.provider.script(() => ({ steps: text('Fine.') }));
}, 60_000);
afterAll(() => app.close());

const panels = (page: Page) => page.getByRole('complementary', { name: 'Panels' });

const PATCH = `diff --git a/src/greet.ts b/src/greet.ts
index 1..2 100644
--- a/src/greet.ts
+++ b/src/greet.ts
@@ -1,3 +1,3 @@
 export function greet() {
-  return 'hello';
+  return 'hello, world';
 }
`;

/** A session whose answer has changed a file, as answers of programs do. */
async function withChanges(): Promise<Page> {
  const { id } = await app.parley.createSession({ agentId: 'ada' });
  await app.parley.say(id, { content: 'Change it' });
  await until(
    () => app.parley.messages(id),
    (messages) => messages.length === 2,
  );
  const page = await app.open('/');
  await page.route(`**/api/sessions/${id}/snapshot`, async (route) => {
    const snapshot = await app.parley.ok<object>('GET', `/api/sessions/${id}/snapshot`);
    const file = { path: 'src/greet.ts', kind: 'changed', added: 1, removed: 1 };
    const diff = { type: 'diff', files: [file], isCut: false, patchId: 'the-patch' };
    const body = JSON.parse(JSON.stringify(snapshot), (_, value) =>
      value?.role === 'assistant' && Array.isArray(value.parts) ? { ...value, parts: [...value.parts, diff] } : value,
    );
    await route.fulfill({ json: body });
  });
  await page.route('**/api/files/the-patch', (route) => route.fulfill({ contentType: 'text/plain', body: PATCH }));
  await page.goto(`${app.parley.url}/sessions/${id}`);
  await composer(page).waitFor();
  return page;
}

test('comments on changed lines go with the next message, by keyboard alone', { timeout: 60_000 }, async () => {
  const page = await withChanges();
  await page.getByRole('button', { name: 'Open panel' }).click();
  await page.getByRole('menuitem', { name: 'Changes', exact: true }).click();
  const line = panels(page).getByRole('button', { name: /hello, world/ });
  await line.waitFor();
  await panels(page).locator('[data-line="0"]').focus();
  for (let step = 0; step < 3; step++) await page.keyboard.press('ArrowDown');
  await expect.poll(() => line.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
  await page.keyboard.press('Enter');
  await panels(page).getByRole('textbox', { name: 'Comment on line 2' }).waitFor();
  await page.keyboard.type('Say who is greeted.');
  await page.keyboard.press('Control+Enter');
  await panels(page).getByText('1 comment will be sent with your next message').waitFor();
  await expectUsable(app, page, 'changes');
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.reload();
  await panels(page).getByText('1 comment will be sent with your next message').waitFor();
  const id = openSession(page);
  await say(page, 'Please change this.');
  await expect.poll(async () => (await app.parley.messages(id)).length).toBe(4);
  const sent = (await app.parley.messages(id)).findLast(({ role }) => role === 'user')!;
  expect(sent.text.split('\n').slice(1).join('\n')).toBe(
    "Please change this.\n\nMy comments on the changes:\n\n**`src/greet.ts`:2**\n\n```\n  return 'hello, world';\n```\n\nSay who is greeted.",
  );
  await expect.poll(() => panels(page).getByText('with your next message').count()).toBe(0);
  expect(app.trouble).toEqual([]);
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { gate, text } from '../harness/scripted-script.ts';
import { composer, said, WebApp } from './web-app.ts';

let app: WebApp;
beforeAll(async () => {
  app = await WebApp.start();
}, 60_000);
afterAll(() => app.close());

test('an answer streams in under its speaker’s name, and a reload in the middle loses nothing', {
  timeout: 60_000,
}, async () => {
  const { id } = await app.parley.createSession({ agentId: 'ada' });
  const held = gate();
  app.provider.script(() => ({
    steps: [...text('Half of it'), { kind: 'gate', until: held.until }, ...text(', and the rest.')],
  }));
  const page = await app.open(`/sessions/${id}`);
  await composer(page).fill('Hello there');
  await composer(page).press('Enter');
  await said(page, 'Half of it').waitFor();
  await page.reload();
  await said(page, 'Half of it').waitFor();
  held.open();
  await said(page, 'Half of it, and the rest.').waitFor();
  await page.getByRole('article', { name: /^ada/ }).waitFor();
  expect(app.trouble).toEqual([]);
});

test('two sessions go on streaming while one switches between them', { timeout: 60_000 }, async () => {
  const [one, two] = [
    await app.parley.createSession({ agentId: 'ada' }),
    await app.parley.createSession({ agentId: 'bob' }),
  ];
  const held = gate();
  app.provider.script(({ said: words }) => ({
    steps: [...text(`Begin ${words}`), { kind: 'gate', until: held.until }, ...text(` End ${words}`)],
  }));
  await app.parley.send(one.id, { content: 'first' });
  await app.parley.send(two.id, { content: 'second' });
  const page = await app.open(`/sessions/${one.id}`);
  await said(page, 'Begin first').waitFor();
  await page.getByRole('treeitem', { name: /second/ }).click();
  await said(page, 'Begin second').waitFor();
  held.open();
  await said(page, 'Begin second End second').waitFor();
  await page.getByRole('treeitem', { name: /first/ }).click();
  await said(page, 'Begin first End first').waitFor();
  expect(app.trouble).toEqual([]);
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { gate, text } from '../harness/scripted-script.ts';
import { BrowserStage, composer, said } from './stage.ts';

let stage: BrowserStage;
beforeAll(async () => {
  stage = await BrowserStage.start();
}, 60_000);
afterAll(() => stage.close());

test('an answer streams in under its speaker’s name, and a reload in the middle loses nothing', {
  timeout: 60_000,
}, async () => {
  const { id } = await stage.parley.createSession({ agentId: 'ada' });
  const held = gate();
  stage.provider.script(() => ({
    steps: [...text('Half of it'), { kind: 'gate', until: held.until }, ...text(', and the rest.')],
  }));
  const page = await stage.open(`/sessions/${id}`);
  await composer(page).fill('Hello there');
  await composer(page).press('Enter');
  await said(page, 'Half of it').waitFor();
  await page.reload();
  await said(page, 'Half of it').waitFor();
  held.open();
  await said(page, 'Half of it, and the rest.').waitFor();
  await page.getByRole('article', { name: /^ada/ }).waitFor();
  expect(stage.trouble).toEqual([]);
});

test('two sessions go on streaming while one switches between them', { timeout: 60_000 }, async () => {
  const [one, two] = [
    await stage.parley.createSession({ agentId: 'ada' }),
    await stage.parley.createSession({ agentId: 'bob' }),
  ];
  const held = gate();
  stage.provider.script(({ said: words }) => ({
    steps: [...text(`Begin ${words}`), { kind: 'gate', until: held.until }, ...text(` End ${words}`)],
  }));
  await stage.parley.send(one.id, { content: 'first' });
  await stage.parley.send(two.id, { content: 'second' });
  const page = await stage.open(`/sessions/${one.id}`);
  await said(page, 'Begin first').waitFor();
  await page.getByRole('treeitem', { name: /second/ }).click();
  await said(page, 'Begin second').waitFor();
  held.open();
  await said(page, 'Begin second End second').waitFor();
  await page.getByRole('treeitem', { name: /first/ }).click();
  await said(page, 'Begin first End first').waitFor();
  expect(stage.trouble).toEqual([]);
});

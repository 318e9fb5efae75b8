import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { text } from '../harness/scripted-script.ts';
import { BrowserStage, said } from './stage.ts';

const BUILT = path.resolve(import.meta.dirname, '../../dist-web');

let stage: BrowserStage;
beforeAll(async () => {
  stage = await BrowserStage.start();
}, 60_000);
afterAll(() => stage.close());

test('the first page loads at most 220 KiB of script and 20 KiB of style, packed', () => {
  const html = readFileSync(path.join(BUILT, 'index.html'), 'utf8');
  const size = (kind: string) =>
    [...new Set([...html.matchAll(new RegExp(`assets/[\\w.-]+\\.${kind}`, 'g'))].map(([file]) => file))]
      .map((file) => gzipSync(readFileSync(path.join(BUILT, file)), { level: 9 }).length)
      .reduce((sum, bytes) => sum + bytes, 0);
  expect(size('js')).toBeLessThanOrEqual(220 * 1024);
  expect(size('css')).toBeLessThanOrEqual(20 * 1024);
  expect(readdirSync(path.join(BUILT, 'assets')).length).toBeGreaterThan(5);
});

test('of ten thousand messages at most forty are in the page', { timeout: 120_000 }, async () => {
  const messages = Array.from({ length: 10_000 }, (_, at) => ({
    role: at % 2 ? 'assistant' : 'user',
    content: `Message number ${at}`,
    ...(at % 2 && { agent: 'ada' }),
  }));
  const { id } = await stage.parley.ok<{ id: string }>('POST', '/api/imports', { agent: 'ada', messages });
  const page = await stage.open(`/sessions/${id}`);
  await said(page, 'Message number 9999').waitFor();
  expect(await page.getByRole('log').getByRole('article').count()).toBeLessThanOrEqual(40);
  const log = page.getByRole('log');
  for (let turn = 0; turn < 6; turn++) {
    await log.hover();
    await page.mouse.wheel(0, -100_000);
    await page.waitForTimeout(150);
  }
  expect(await log.getByRole('article').count()).toBeLessThanOrEqual(40);
  expect(stage.trouble).toEqual([]);
});

test('an answer in six hundred pieces costs less than two seconds of the page’s time', {
  timeout: 120_000,
}, async () => {
  const piece = 'Some **words** in a sentence that goes on. ';
  stage.provider.script(() => ({
    steps: [
      ...Array.from({ length: 600 }, (_, at) => [
        { kind: 'text' as const, text: at % 12 === 11 ? `${piece}\n\n` : piece },
        { kind: 'wait' as const, ms: 4 },
      ]).flat(),
      ...text('Finished.'),
    ],
  }));
  const { id } = await stage.parley.createSession({ agentId: 'ada' });
  const page = await stage.open(`/sessions/${id}`);
  const meter = await page.context().newCDPSession(page);
  await meter.send('Performance.enable');
  const busy = async () => {
    const { metrics } = await meter.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration')!.value;
  };
  const before = await busy();
  await stage.parley.send(id, { content: 'Go on' });
  await said(page, 'Finished.').waitFor({ timeout: 60_000 });
  expect((await busy()) - before).toBeLessThan(2);
});

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const SCRIPT = `
  import { registerHooks } from 'node:module';
  const loaded = [];
  registerHooks({ resolve(name, context, next) { loaded.push(name); return next(name, context); } });
  const { openModel } = await import('./server/models/open.ts');
  const limits = { firstTokenMs: 9e3, idleMs: 9e3, maxAttempts: 1, maxRetryAfterMs: 1, maxEventBytes: 1e6 };
  openModel({ provider: 'openai', model: 'm', apiKey: 'k' }, limits);
  const demo = openModel({ provider: 'demo', model: 'demo-fast' }, limits);
  const request = { system: '', messages: [{ role: 'user', text: 'hi' }], tools: [] };
  for await (const _ of demo.stream(request, new AbortController().signal));
  console.log(JSON.stringify(loaded));
`;

test('opening models and talking to the demo loads no provider and nothing from node_modules', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', SCRIPT]);
  const loaded = JSON.parse(stdout) as string[];
  expect(loaded).toContain('./demo/model.ts');
  expect(loaded.filter((name) => !name.startsWith('.') && !name.startsWith('node:'))).toEqual([]);
});

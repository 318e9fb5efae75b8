import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const SCRIPT = `
  import { registerHooks } from 'node:module';
  const loaded = [];
  registerHooks({ resolve(name, context, next) { loaded.push(name); return next(name, context); } });
  await import('./server/tools/mcp/servers.ts');
  console.log(JSON.stringify(loaded));
`;

test('nothing of the library is loaded before a server is needed', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', SCRIPT]);
  const loaded = JSON.parse(stdout) as string[];
  expect(loaded).toContain('./configured-server.ts');
  expect(loaded.filter((name) => name.includes('modelcontextprotocol'))).toEqual([]);
});

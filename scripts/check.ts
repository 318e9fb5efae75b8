// `npm run check`: format and lint, types, boundaries.
import { spawnSync } from 'node:child_process';

const STEPS: [string, string[]][] = [
  ['format and lint', ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.']],
  ['types', ['node_modules/typescript/bin/tsc', '-p', '.']],
  ['types of the web app', ['node_modules/typescript/bin/tsc', '-p', 'web']],
  ['boundaries', ['node_modules/vitest/vitest.mjs', 'run', 'test/boundaries.test.ts']],
];

for (const [name, args] of STEPS) {
  const began = performance.now();
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
  console.log(`${status === 0 ? 'ok' : 'FAILED'}  ${name} (${Math.round(performance.now() - began)} ms)`);
  if (status !== 0) process.exit(1);
}

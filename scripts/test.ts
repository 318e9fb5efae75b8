// `npm test`: everything, in the order in which a mistake is cheapest to find.
import { spawnSync } from 'node:child_process';
import { runChecks } from './checks.ts';

const failed = await runChecks();
if (failed.length === 0) {
  const tests = ['node_modules/vitest/vitest.mjs', 'run', ...process.argv.slice(2)];
  if (spawnSync(process.execPath, tests, { stdio: 'inherit' }).status !== 0) failed.push('tests');
}
if (failed.length > 0) {
  console.error(`\nnpm test: ${failed.join(', ')} failed.`);
  process.exit(1);
}

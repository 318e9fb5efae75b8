// `npm test`: everything, in the order in which a mistake is cheapest to find.
import { spawnSync } from 'node:child_process';

const STEPS: [string, string[]][] = [
  ['format and lint', ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.']],
  ['types', ['node_modules/typescript/bin/tsc', '-p', '.']],
  ['types of the web app', ['node_modules/typescript/bin/tsc', '-p', 'web']],
  ['tests', ['node_modules/vitest/vitest.mjs', 'run', ...process.argv.slice(2)]],
];

for (const [name, args] of STEPS) {
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
  if (status !== 0) {
    console.error(`\nnpm test: ${name} failed.`);
    process.exit(1);
  }
}

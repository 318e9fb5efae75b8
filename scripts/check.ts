// `npm run check`: format and lint, types, boundaries.
import { spawnSync } from 'node:child_process';
import { runChecks } from './checks.ts';

const failed = await runChecks();
const boundaries = ['node_modules/vitest/vitest.mjs', 'run', 'test/boundaries.test.ts'];
if (spawnSync(process.execPath, boundaries, { stdio: 'inherit' }).status !== 0) failed.push('boundaries');
if (failed.length > 0) process.exit(1);

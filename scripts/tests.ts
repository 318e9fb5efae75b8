import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';

const RESULTS = '.vitest/results.json';

/** With more files than this the reason is not that the machine was busy. */
const RUN_AGAIN_AT_MOST = 3;

/**
 * Runs the tests, and files that failed once more: alone, because hundreds of servers, programs and browsers beside them
 * can make an answer late. What passed only then is named: something in it depends on time, and is worth a look.
 */
export function runTests(args: readonly string[]): boolean {
  if (runVitest(args)) return true;
  const failed = failedFiles();
  if (failed.length === 0 || failed.length > RUN_AGAIN_AT_MOST) return false;
  console.warn(`\nFailed, run again alone:\n${indented(failed)}\n`);
  if (!runVitest(['--maxWorkers=1', ...failed])) return false;
  console.warn(`\nPassed only when run alone:\n${indented(failed)}`);
  return true;
}

function runVitest(args: readonly string[]): boolean {
  rmSync(RESULTS, { force: true });
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${RESULTS}`];
  const all = ['node_modules/vitest/vitest.mjs', 'run', ...reporters, ...args];
  return spawnSync(process.execPath, all, { stdio: 'inherit' }).status === 0;
}

interface Results {
  readonly testResults: readonly { readonly name: string; readonly status: string }[];
}

/** None when the tests did not get to their end, or when an error belongs to no file. */
function failedFiles(): string[] {
  try {
    const { testResults } = JSON.parse(readFileSync(RESULTS, 'utf8')) as Results;
    const failed = testResults.filter(({ status }) => status === 'failed');
    return failed.map(({ name }) => path.relative('.', name));
  } catch {
    return [];
  }
}

function indented(files: readonly string[]): string {
  return files.map((file) => `  ${file}`).join('\n');
}

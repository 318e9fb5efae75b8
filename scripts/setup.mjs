// Brings everything a fresh clone is missing and does nothing when all is there. Plain JavaScript, any Node >= 18.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isBundleFresh, isWebFresh } from './bundle-state.mjs';
import { ensureRuntime, linkRuntime, npm, ROOT, withRuntimeFirst } from './runtime.mjs';

/** Returns the Node binary that runs Parley. */
export function setUp() {
  const runtime = ensureRuntime();
  installPackages(runtime);
  linkRuntime(runtime);
  buildBundle(runtime);
  buildWeb(runtime);
  return runtime;
}

function installPackages(runtime) {
  const lock = readFileSync(path.join(ROOT, 'package-lock.json'));
  const wanted = createHash('sha256').update(lock).digest('hex');
  const stamp = path.join(ROOT, 'node_modules', '.installed');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  console.error('Installing packages…');
  // Not `ci`: it refuses a lock in which some other platform's optional package is missing. The lock is left as it is.
  npm(['install', '--no-save', '--no-audit', '--no-fund', '--loglevel', 'error'], withRuntimeFirst(runtime));
  writeFileSync(stamp, wanted);
}

/** Only for speed: without it everything runs from the sources. */
function buildBundle(runtime) {
  if (isBundleFresh(ROOT)) return;
  if (!succeeds(runtime, 'build.ts'))
    console.error('parley: the bundle could not be built; starting from the sources.');
}

/** What the server shows in a browser. */
function buildWeb(runtime) {
  if (isWebFresh(ROOT)) return;
  console.error('Building the web app…');
  if (!succeeds(runtime, 'build-web.ts'))
    console.error('parley: the web app could not be built; the command line works without it.');
}

function succeeds(runtime, script) {
  const options = { cwd: ROOT, stdio: ['ignore', 2, 2] };
  return spawnSync(runtime, [path.join(ROOT, 'scripts', script)], options).status === 0;
}

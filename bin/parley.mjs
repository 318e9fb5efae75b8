#!/usr/bin/env -S node --max-semi-space-size=32
// The `parley` program. Plain JavaScript that any Node >= 18 can read, so that an old one gets a clear answer.
// The flag keeps a busy server a sixth smaller: by default V8 lets the youngest objects take 130 MB before it looks.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import module from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

if (isSupported(process.version)) await start();
else goOnWith(bundledRuntime());

async function start() {
  module.enableCompileCache?.();
  await import(pathToFileURL(await programFile()).href);
}

/** The bundle where there is nothing else, or while it is what the sources say; the sources whenever they have changed. */
async function programFile() {
  const source = path.join(ROOT, 'cli', 'main.ts');
  const bundle = path.join(ROOT, 'dist', 'main.js');
  if (!existsSync(source)) return bundle;
  const { isBundleFresh } = await import('../scripts/bundle-state.mjs');
  return isBundleFresh(ROOT) ? bundle : source;
}

/** SQLite before 24.16 / 26.1 cuts text at a NUL byte; 25 never got the fix. */
function isSupported(version) {
  const [major, minor] = version.replace(/^v/, '').split('.').map(Number);
  return (major === 24 && minor >= 16) || (major === 26 && minor >= 1) || major > 26;
}

/** The Node that `npm start` and `npm test` bring into the repository where the machine's is too old. */
function bundledRuntime() {
  const packages = path.join(ROOT, '.runtime', 'node_modules');
  if (!existsSync(packages)) return undefined;
  const program = process.platform === 'win32' ? 'node.exe' : 'node';
  return readdirSync(packages)
    .filter((name) => name.startsWith('node-'))
    .map((name) => path.join(packages, name, 'bin', program))
    .find((file) => existsSync(file));
}

function goOnWith(runtime) {
  if (!runtime) {
    console.error(`Error: Parley needs Node >= 24.16 or >= 26.1; this is ${process.version}. See https://nodejs.org`);
    process.exit(1);
  }
  const args = ['--max-semi-space-size=32', fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  const child = spawn(runtime, args, { stdio: 'inherit' });
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  // A terminal sends Ctrl-C to both of us; only without one is it ours to pass on.
  process.on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'));
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? (signal ? 143 : 1);
  });
}

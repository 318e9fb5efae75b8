// Which Node runs Parley, and where it comes from. Plain JavaScript that any Node >= 18 can execute.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const RUNTIME_VERSION = '24.21.0';
const RUNTIME_HOME = path.join(ROOT, '.runtime');
const WINDOWS = process.platform === 'win32';

/** SQLite before 24.16 / 26.1 cuts text at a NUL byte; 25 never got the fix. */
export function isSupported(version) {
  const [major, minor] = version.replace(/^v/, '').split('.').map(Number);
  return (major === 24 && minor >= 16) || (major === 26 && minor >= 1) || major > 26;
}

/** The path of a Node new enough to run Parley; brought from the npm registry when this machine's is too old. */
export function ensureRuntime() {
  if (isSupported(process.version)) return process.execPath;
  const packageName = `node-${WINDOWS ? 'win' : process.platform}-${process.arch}`;
  const binary = path.join(RUNTIME_HOME, 'node_modules', packageName, 'bin', WINDOWS ? 'node.exe' : 'node');
  if (answersVersion(binary)) return binary;
  console.error(
    `Node ${process.version} is too old for Parley; bringing Node ${RUNTIME_VERSION} into .runtime (once)…`,
  );
  mkdirSync(RUNTIME_HOME, { recursive: true });
  writeFileSync(path.join(RUNTIME_HOME, 'package.json'), '{ "private": true }\n');
  npm(
    ['install', '--prefix', RUNTIME_HOME, '--no-audit', '--no-fund', `${packageName}@${RUNTIME_VERSION}`],
    process.env,
  );
  if (!answersVersion(binary))
    fail(`Node ${RUNTIME_VERSION} could not be installed. Install Node >= 24.16 and try again.`);
  return binary;
}

function answersVersion(binary) {
  if (!existsSync(binary)) return false;
  const answer = spawnSync(binary, ['--version'], { encoding: 'utf8' });
  return answer.status === 0 && answer.stdout.trim() === `v${RUNTIME_VERSION}`;
}

/** Makes `node` in npm scripts and `npx` mean the runtime, by putting it first among the project's own programs. */
export function linkRuntime(binary) {
  if (binary === process.execPath && !binary.startsWith(RUNTIME_HOME)) return;
  const programs = path.join(ROOT, 'node_modules', '.bin');
  mkdirSync(programs, { recursive: true });
  if (WINDOWS) {
    writeFileSync(path.join(programs, 'node.cmd'), `@"${binary}" %*\r\n`);
    return;
  }
  const link = path.join(programs, 'node');
  rmSync(link, { force: true });
  symlinkSync(path.relative(programs, binary), link);
}

export function withRuntimeFirst(binary) {
  return { ...process.env, PATH: `${path.dirname(binary)}${path.delimiter}${process.env.PATH ?? ''}` };
}

export function npm(args, env) {
  // npm's output goes to stderr: stdout belongs to the program that is being started.
  const result = spawnSync('npm', args, { cwd: ROOT, stdio: ['ignore', 2, 2], env, shell: WINDOWS });
  if (result.status !== 0)
    fail(`npm ${args.join(' ')} failed. Check the network and the npm registry, then try again.`);
}

export function fail(message) {
  console.error(`parley: ${message}`);
  process.exit(1);
}

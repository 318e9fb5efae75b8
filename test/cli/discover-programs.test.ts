import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeHome, parley, serve } from './parley.ts';

/** A folder on the PATH with programs that only say their version, and a home folder in which only Codex is signed in. */
function programs() {
  const root = mkdtempSync(path.join(tmpdir(), 'parley-found-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const bin = path.join(root, 'bin');
  mkdirSync(bin);
  const say = (name: string, words: string) => {
    const file = path.join(bin, name);
    writeFileSync(file, `#!/bin/sh\necho "$0 $*" >> ${root}/started\n${words}\n`);
    chmodSync(file, 0o755);
  };
  say('claude', 'echo "2.1.325 (Claude Code)"');
  say('codex', 'echo "codex-cli 0.166.0"');
  say('pi', 'exit 1');
  say('gemini', 'echo 0.61.0');
  say('opencode', 'echo 1.18.33');
  say('codex-acp', 'exit 1');
  mkdirSync(path.join(root, 'codex'));
  writeFileSync(path.join(root, 'codex', 'auth.json'), '{}');
  const env = {
    PATH: `${bin}:${process.env.PATH}`,
    HOME: root,
    CODEX_HOME: path.join(root, 'codex'),
    GEMINI_API_KEY: 'test',
  };
  return { bin, env, started: () => readFileSync(path.join(root, 'started'), 'utf8').trim().split('\n') };
}

test('programs on the PATH are offered with version and sign-in state, and added only when confirmed', async () => {
  const { bin, env, started } = programs();
  const home = makeHome();
  await serve(home, env);

  const listed = await parley(home, ['agents', 'discover', '--json'], { env });
  const { programs: found, agents } = JSON.parse(listed.stdout);
  expect(found).toMatchObject([
    { agentId: 'claude-code', title: 'Claude Code', file: `${bin}/claude`, version: '2.1.325', signIn: 'no' },
    { agentId: 'codex', file: `${bin}/codex`, version: '0.166.0', signIn: 'yes', advice: null },
    { agentId: 'pi', file: `${bin}/pi`, version: null, signIn: 'yes' },
    { agentId: 'gemini', version: '0.61.0', commandLine: `GEMINI_API_KEY='\${GEMINI_API_KEY}' gemini --acp` },
    { agentId: 'opencode', version: '1.18.33' },
    { agentId: 'codex-acp', version: null, signIn: 'yes', commandLine: `CODEX_HOME='\${CODEX_HOME}' codex-acp` },
  ]);
  // What each needs to work as promised: a key and how to use it, and to ask before it acts.
  const acp = (agentId: string) => agents.find((agent: { agentId: string }) => agent.agentId === agentId).acp;
  expect(acp('gemini')).toMatchObject({ authMethod: 'gemini-api-key', ownFiles: true });
  expect(JSON.parse(acp('opencode').env.OPENCODE_CONFIG_CONTENT)).toEqual({ permission: { '*': 'ask' } });
  expect(found[0].advice).toContain('Claude Code is not signed in. Run `claude` in a terminal');
  expect(agents).toContainEqual(expect.objectContaining({ agentId: 'codex', chat: { provider: 'codex-cli' } }));
  expect(started().every((line: string) => line.endsWith(' --version'))).toBe(true);

  const unconfirmed = await parley(home, ['agents', 'discover', '--add', 'codex'], { env });
  expect(unconfirmed).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`runs codex (${bin}/codex) on this machine`),
  });
  const added = await parley(home, ['agents', 'discover', '--add', 'codex', '--yes'], { env });
  expect(added.stdout).toContain('Added codex.');
  const gemini = await parley(home, ['agents', 'discover', '--add', 'gemini', '--yes'], { env });
  expect(gemini.stdout).toContain('Added gemini.');
  const again = await parley(home, ['agents', 'discover'], { env });
  expect(again.stdout).toContain('claude-code');
  expect(again.stdout).not.toMatch(/^(codex|gemini) /m);
}, 60_000);

test('the first start starts no program and adds none', async () => {
  const { env, started } = programs();
  const home = mkdtempSync(path.join(tmpdir(), 'parley-first-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const server = await serve(home, env);
  await server.stop();
  expect(() => started()).toThrow('ENOENT');
  expect(() => readFileSync(path.join(home, 'agents', 'claude-code.json'))).toThrow('ENOENT');
}, 60_000);

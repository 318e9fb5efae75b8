import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { ProgramSessionList } from '../../../contract/program-sessions.ts';
import type { Session } from '../../../contract/sessions.ts';
import { Bench, type ProgramUnderTest } from '../cli/bench.ts';
import { openRealClaude, openRealCodex, openRealPi } from './programs.ts';

const WORDS = 'My word is heron.';

let bench: Bench | undefined;
let folder = '';
afterEach(async () => {
  await bench?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** As a person uses the program, without Parley. */
async function use(program: ProgramUnderTest, args: readonly string[]): Promise<void> {
  const { chat } = program.definition as { chat: { cli: { command: string; env?: Record<string, string> } } };
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'parley-used-')));
  const env = { PATH: process.env.PATH, ...program.env, ...chat.cli.env };
  const child = spawn(chat.cli.command, args, { cwd: folder, env, stdio: 'ignore' });
  const [code] = await once(child, 'exit');
  expect(code).toBe(0);
}

describe('a session that a person began without Parley is imported, and continued by the same program', () => {
  it.each([
    ['claude', openRealClaude, ['-p', WORDS]],
    ['codex', openRealCodex, ['exec', '--skip-git-repo-check', WORDS]],
    ['pi', openRealPi, ['-p', '--model', 'scripted/m1', WORDS]],
  ] as const)('%s', async (from, open, args) => {
    const program = await open();
    await use(program, args);
    bench = await Bench.open(program);
    const { parley } = bench;
    const list = await parley.ok<ProgramSessionList>('GET', `/api/program-sessions?from=${from}`);
    expect(list.sessions).toHaveLength(1);
    const { id } = list.sessions[0]!;
    const { id: sessionId } = await parley.ok<Session>('POST', '/api/program-session-imports', { from, id });
    expect(await parley.transcript(sessionId)).toEqual([`user: ${WORDS}`, 'prog: Hello from the model.']);
    const { text, answer } = await bench.say(sessionId, 'RECALL');
    expect(text).toContain(WORDS);
    expect(text).not.toContain('[What was said');
    expect(answer!.parts.some(({ type }) => type === 'notice')).toBe(false);
    await parley.restart();
    expect((await bench.say(sessionId, 'RECALL')).text).toContain(WORDS);
  });
});

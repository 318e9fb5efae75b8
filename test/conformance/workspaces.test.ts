import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Message } from '../../contract/messages.ts';
import type { Session } from '../../contract/sessions.ts';
import { parley as run } from '../cli/parley.ts';
import { until } from '../harness/parley.ts';
import { call, ScriptedAgents } from '../suites/scripted-agents.ts';
import { Fixture } from './fixture.ts';

let fixture: Fixture;
const folders: string[] = [];

beforeAll(async () => {
  fixture = await Fixture.open();
});

afterAll(async () => {
  await fixture.close();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function newFolder(): string {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'parley-project-')));
  folders.push(folder);
  return folder;
}

function newRepository(): string {
  const folder = newFolder();
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: folder });
  git('init', '--quiet');
  writeFileSync(path.join(folder, 'first.txt'), 'one\ntwo\n');
  git('add', '.');
  git('commit', '--quiet', '-m', 'first');
  return folder;
}

async function inFolder(agentId: string, folder: string, worktree = false): Promise<string> {
  const sessionId = await fixture.open(agentId);
  await fixture.parley.ok('PATCH', `/api/sessions/${sessionId}`, { workspace: { folder, worktree } });
  return sessionId;
}

async function answerTo(sessionId: string, words: string): Promise<Message> {
  const { turn } = await fixture.send(sessionId, words);
  return (await fixture.settled(turn.id)).answer!;
}

describe('the workspace of a session', () => {
  it('is a folder of the agent while none is chosen', async () => {
    const { text } = await fixture.say(await fixture.open('pip'), 'cwd');
    expect(text).toBe(path.join(realpathSync(fixture.parley.home), 'workspaces', 'pip'));
  });

  it('is the folder that the person chooses, until they take it back', async () => {
    const folder = newFolder();
    const sessionId = await inFolder('pip', folder);
    expect((await fixture.say(sessionId, 'cwd')).text).toBe(folder);
    await fixture.parley.ok('PATCH', `/api/sessions/${sessionId}`, { workspace: null });
    expect((await fixture.say(sessionId, 'cwd')).text).not.toBe(folder);
  });

  it('can be chosen when the session is created, and is shown', async () => {
    const folder = newFolder();
    const created = await fixture.parley.ok<Session>('POST', '/api/sessions', {
      agentId: 'pip',
      workspace: { folder },
    });
    const session = await fixture.parley.ok<Session>('GET', `/api/sessions/${created.id}`);
    expect(session.workspace).toEqual({ folder, worktree: false });
  });

  it('is also where Parley’s own tools work', async () => {
    const folder = newFolder();
    const sessionId = await inFolder('ada', folder);
    new ScriptedAgents(fixture.provider).answers('ada', [call('bash', { command: 'pwd > here.txt' })], 'Done.');
    await answerTo(sessionId, 'Go.');
    expect(readFileSync(path.join(folder, 'here.txt'), 'utf8').trim()).toBe(folder);
  });

  it('must not hold the data folder, lie in it, be missing, or be relative', async () => {
    const link = path.join(newFolder(), 'link');
    symlinkSync(fixture.parley.home, link);
    for (const folder of [
      fixture.parley.home,
      path.dirname(fixture.parley.home),
      '/',
      link,
      '/nowhere/at/all',
      'relative',
    ]) {
      const sessionId = await fixture.open('pip');
      const { status, body } = await fixture.parley.request<{ code: string }>('PATCH', `/api/sessions/${sessionId}`, {
        workspace: { folder },
      });
      expect([folder, status, body.code]).toEqual([folder, 422, 'workspace_refused']);
    }
  });

  it('can be a git worktree that belongs to the session and goes with it', async () => {
    const repository = newRepository();
    const sessionId = await inFolder('pip', repository, true);
    const worktree = (await fixture.say(sessionId, 'cwd')).text;
    expect(worktree).not.toBe(repository);
    expect(readFileSync(path.join(worktree, 'first.txt'), 'utf8')).toBe('one\ntwo\n');
    await fixture.parley.ok('DELETE', `/api/sessions/${sessionId}`);
    fixture.ledger.sessions.delete(sessionId);
    const branches = () => execFileSync('git', ['branch', '--list', 'parley/*'], { cwd: repository, encoding: 'utf8' });
    await until(
      async () => [existsSync(worktree), branches()],
      ([isThere, left]) => !isThere && left === '',
    );
  });

  it('keeps a worktree with changes that are in no commit when the session is deleted', async () => {
    const sessionId = await inFolder('pip', newRepository(), true);
    const worktree = (await fixture.say(sessionId, 'cwd\nwrite kept.txt precious')).text.split('wrote')[0]!;
    await fixture.parley.ok('DELETE', `/api/sessions/${sessionId}`);
    fixture.ledger.sessions.delete(sessionId);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(readFileSync(path.join(worktree, 'kept.txt'), 'utf8')).toBe('precious\n');
  });

  it('cannot be a worktree of a folder that is no repository: the turn says so', async () => {
    const { turn } = await fixture.say(await inFolder('pip', newFolder(), true), 'cwd');
    expect([turn.state, turn.error?.code]).toEqual(['failed', 'workspace_refused']);
  });
});

describe('what a turn changed', () => {
  it('is a part of its answer, with the patch behind it', async () => {
    const repository = newRepository();
    writeFileSync(path.join(repository, 'first.txt'), 'one\nedited before the turn\n');
    const answer = await answerTo(
      await inFolder('pip', repository),
      'write new.txt hello\nwrite first.txt three\nremove nothing',
    );
    const diff = answer.parts.find((part) => part.type === 'diff')!;
    expect(diff.files).toEqual([
      { path: 'first.txt', kind: 'changed', added: 1, removed: 2 },
      { path: 'new.txt', kind: 'added', added: 1, removed: 0 },
    ]);
    const patch = await fixture.parley.fetch('GET', `/api/files/${diff.patchId}`);
    expect(await patch.text()).toContain('+hello');
    expect(execFileSync('git', ['diff', '--cached', '--name-only'], { cwd: repository, encoding: 'utf8' })).toBe('');
  });

  it('is told although the turn failed', async () => {
    const answer = await answerTo(await inFolder('pip', newFolder()), 'write left.txt behind\ndie');
    expect(answer.status).toBe('interrupted');
    expect(answer.parts.find((part) => part.type === 'diff')?.files).toEqual([
      { path: 'left.txt', kind: 'added', added: 1, removed: 0 },
    ]);
  });

  it('is not told of a turn that changed nothing', async () => {
    const answer = await answerTo(await inFolder('pip', newRepository()), 'say Hello.');
    expect(answer.parts.map(({ type }) => type)).toEqual(['text']);
  });

  it('names files as they are called', async () => {
    const answer = await answerTo(await inFolder('pip', newFolder()), 'write grüße-→.txt x');
    expect(answer.parts.find((part) => part.type === 'diff')?.files[0]?.path).toBe('grüße-→.txt');
  });

  it('stays in a Markdown export', async () => {
    const sessionId = await inFolder('pip', newFolder());
    await answerTo(sessionId, 'write a.txt x');
    const markdown = await (
      await fixture.parley.fetch('GET', `/api/sessions/${sessionId}/export?format=markdown`)
    ).text();
    expect(markdown).toContain('- a.txt (added, +1 −0)');
  });
});

describe('on the command line', () => {
  const parley = (...args: string[]) => run(fixture.parley.home, args);

  it('a folder is chosen for a message, and what changed is listed below the answer', async () => {
    const folder = newFolder();
    const said = await parley('chat', '-a', 'pip', '-s', 'in-folder', '-m', 'write made.txt x', '--workspace', folder);
    expect(said.code).toBe(0);
    expect(said.stdout).toContain('A made.txt +1 −0');
    const shown = await parley('sessions', 'workspace', 'in-folder');
    expect(shown.stdout.trim()).toBe(folder);
    expect((await parley('sessions', 'show', 'in-folder')).stdout).toContain('A made.txt +1 −0');
  });

  it('a folder is taken back, and a worktree needs one', async () => {
    await parley('sessions', 'new', '-a', 'pip', '-n', 'taken-back', '--workspace', newFolder());
    expect((await parley('sessions', 'workspace', 'taken-back', '--clear')).stdout).toContain(
      "Each agent's own folder.",
    );
    const refused = await parley('sessions', 'workspace', 'taken-back', '--worktree');
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('--worktree needs a folder')]);
  });

  it('a folder that cannot be one is refused in one sentence, and nothing is sent', async () => {
    const refused = await parley('chat', '-a', 'pip', '-s', 'refused', '-m', 'cwd', '--workspace', '/nowhere/at/all');
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain('The workspace folder does not exist: /nowhere/at/all.');
  });
});

import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RemoteCard } from '../../contract/agents.ts';
import type { Session } from '../../contract/sessions.ts';
import { PROGRAM } from '../agents/acp/fixture.ts';
import type { ProgramUnderTest } from '../agents/cli/bench.ts';
import { openScripted } from '../agents/cli/scripted/open.ts';
import { A2aPeer } from '../harness/a2a/peer.ts';
import { text } from '../harness/scripted-script.ts';
import { en } from '../harness/words.ts';
import { expectUsable } from './axe.ts';
import { openSession, say } from './doing.ts';
import { said, WebApp } from './web-app.ts';

const LONG = { timeout: 120_000 };

let app: WebApp;
let peer: A2aPeer;
let claude: ProgramUnderTest;
/** A repository that the programs work in, and where they keep what they remember. */
let project: string;
let memory: string;

beforeAll(async () => {
  [peer, claude] = await Promise.all([A2aPeer.start(), openScripted('claude')]);
  project = newRepository();
  memory = mkdtempSync(path.join(tmpdir(), 'parley-acp-'));
  const workspace = { folder: project };
  app = await WebApp.start({
    agents: [
      { agentId: 'ada', displayName: 'Ada' },
      { agentId: 'coder', displayName: 'Coder', ...claude.definition, workspace },
      {
        agentId: 'pip',
        displayName: 'Pip',
        type: 'acp',
        acp: { command: process.execPath, args: [PROGRAM, memory] },
        workspace,
      },
      { agentId: 'far', displayName: 'Far', type: 'a2a', a2a: { url: peer.url } },
    ],
    config: { tools: { fetch: { allowHosts: [peer.host] } } },
    env: { ...claude.env },
  });
  app.provider.script(({ said: words }) => ({ steps: text(`Re: ${words}`) }));
  const { hash } = await app.parley.ok<RemoteCard>('GET', '/api/agent-cards/far');
  await app.parley.ok('POST', '/api/agent-cards/far', { hash });
}, 60_000);
afterAll(async () => {
  await app.parley.stop();
  await Promise.all([app.close(), peer.close(), claude.close()]);
  for (const folder of [project, memory]) rmSync(folder, { recursive: true, force: true });
});

function newRepository(): string {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'parley-project-')));
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: folder });
  git('init', '--quiet');
  writeFileSync(path.join(folder, 'first.txt'), 'one\ntwo\n');
  git('add', '.');
  git('commit', '--quiet', '-m', 'first');
  return folder;
}

/** Whoever answers from now on. */
async function turnTo(page: Page, name: string): Promise<void> {
  await page.locator('[data-composer] [aria-haspopup="menu"]').filter({ visible: true }).first().click();
  await page.getByRole('menuitemradio', { name: new RegExp(`^${name}`) }).click();
}

const card = (page: Page, name: string | RegExp) => page.getByRole('log').getByRole('group', { name });

test(
  'in one session a model, Claude Code, a program with ACP and a remote agent answer, ask and show what they changed',
  LONG,
  async () => {
    const { id } = await app.parley.createSession({ agentId: 'ada' });
    const page = await app.open(`/sessions/${id}`);
    await say(page, 'Good morning');
    await said(page, 'Re: Good morning').waitFor();

    await turnTo(page, 'Coder');
    await say(page, 'RUN rm first.txt && echo gone');
    const run = card(page, /Bash/);
    await run.getByText('rm first.txt && echo gone').first().waitFor();
    await run.getByText(project).first().waitFor();
    await expectUsable(app, page, 'voices-command');
    await page.setViewportSize({ width: 1440, height: 900 });
    expect(existsSync(path.join(project, 'first.txt'))).toBe(true);
    await run.getByRole('button', { name: en['actions.once'] }).click();
    await said(page, 'Tool said: gone').waitFor();
    expect(existsSync(path.join(project, 'first.txt'))).toBe(false);
    const changes = page.getByRole('region', { name: en['diff.title'] });
    await changes.getByRole('button').first().click();
    await changes.getByText('first.txt').click();
    await changes.getByText('-two').waitFor();
    await expectUsable(app, page, 'voices-diff');
    await page.setViewportSize({ width: 1440, height: 900 });

    await turnTo(page, 'Pip');
    await say(page, 'permit edit-1 edit {"newText":"two\\n"}\nsay Thank you.');
    const edit = card(page, /edit/i);
    await edit.getByText('a.txt').first().waitFor();
    await edit.getByText('two').first().waitFor();
    await expectUsable(app, page, 'voices-edit');
    await page.setViewportSize({ width: 1440, height: 900 });
    await edit.getByRole('button', { name: en['actions.deny'] }).click();
    await edit.getByRole('button', { name: en['actions.denyNow'] }).click();
    await said(page, 'edit-1: no.').waitFor();

    await turnTo(page, 'Far');
    await say(page, 'ask Which colour?');
    const question = card(page, /Far|Which colour/);
    await question.getByText('Which colour?').waitFor();
    await question.getByRole('textbox').fill('Blue');
    await question.getByRole('button', { name: en['actions.answer'] }).click();
    await said(page, 'Answered: Blue').waitFor();

    for (const name of ['Ada', 'Coder', 'Pip', 'Far'])
      await page
        .getByRole('article', { name: new RegExp(`^${name}`) })
        .first()
        .waitFor();
    expect(peer.messages[0]!.parts.join('\n')).toContain('Good morning');
    expect(openSession(page)).toBe(id);
    expect(app.trouble).toEqual([]);
  },
);

test(
  'the folder of a session is chosen in a dialog, shown beside the conversation and above it, and taken back',
  LONG,
  async () => {
    const { id } = await app.parley.createSession({ agentId: 'coder' });
    const page = await app.open(`/sessions/${id}`);
    const details = page.getByRole('complementary', { name: en['nav.details'] });
    await details.getByRole('button', { name: en['workspace.change'] }).click();
    const dialog = page.getByRole('dialog', { name: en['workspace.title'] });
    const folder = dialog.getByRole('textbox', { name: en['workspace.folder'] });
    await folder.fill(app.parley.home);
    await dialog.getByRole('button', { name: en['workspace.save'] }).click();
    await dialog.getByRole('alert').waitFor();
    await folder.fill(project);
    await dialog.getByRole('checkbox').check();
    await expectUsable(app, page, 'workspace-dialog');
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.keyboard.press('Enter');
    await dialog
      .getByRole('button', { name: en['workspace.save'] })
      .click()
      .catch(() => undefined);
    await dialog.waitFor({ state: 'detached' });
    await details.getByText(project).waitFor();
    const session = () => app.parley.ok<Session>('GET', `/api/sessions/${id}`);
    expect((await session()).workspace).toEqual({ folder: project, worktree: true });
    await expectUsable(app, page, 'workspace-shown');
    await page.setViewportSize({ width: 1440, height: 900 });
    const above = page.getByRole('button', { name: en['workspace.named'].replace('{folder}', project) });
    expect(await above.textContent()).toBe(path.basename(project));
    await above.click();
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await details.getByRole('button', { name: en['workspace.change'] }).click();
    await dialog.getByRole('button', { name: en['workspace.clear'] }).click();
    // Without one of its own it is the folder of its agent again, without a worktree.
    await details.getByText(project, { exact: true }).waitFor();
    expect((await session()).workspace).toBeNull();
    expect(app.trouble).toEqual([]);
  },
);

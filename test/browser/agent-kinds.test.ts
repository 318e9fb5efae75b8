import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AgentDetail } from '../../contract/agents.ts';
import { PROGRAM } from '../agents/acp/fixture.ts';
import { text } from '../harness/scripted-script.ts';
import { en } from '../harness/words.ts';
import { expectUsable } from './axe.ts';
import { WebApp } from './web-app.ts';

const LONG = { timeout: 90_000 };

let app: WebApp;
/** The machine of the server: its home folder, and the programs on its PATH. */
let machine: string;
beforeAll(async () => {
  machine = mkdtempSync(path.join(tmpdir(), 'parley-machine-'));
  install('claude', '2.1.325 (Claude Code)');
  install('gemini', '0.61.0');
  const PATH = [path.join(machine, 'bin'), '/usr/bin', '/bin'].join(path.delimiter);
  app = await WebApp.start({ agents: [{ agentId: 'ada', displayName: 'Ada' }], env: { HOME: machine, PATH } });
  app.provider.script(({ said: words }) => ({ steps: text(`Re: ${words}`) }));
}, 60_000);
afterAll(async () => {
  await app.close();
  rmSync(machine, { recursive: true, force: true });
});

/** A program that says its version and does nothing else. */
function install(name: string, version: string): void {
  mkdirSync(path.join(machine, 'bin'), { recursive: true });
  const file = path.join(machine, 'bin', name);
  writeFileSync(file, `#!/bin/sh\necho '${version}'\n`);
  chmodSync(file, 0o755);
}

const agent = (id: string) => app.parley.ok<AgentDetail>('GET', `/api/agents/${id}`);
const field = (page: Page, key: keyof typeof en) => page.getByRole('textbox', { name: en[key], exact: true });
const button = (page: Page, key: keyof typeof en) => page.getByRole('button', { name: en[key], exact: true });

test(
  'an agent that starts a program is written in the form, confirmed with all that it may do, and tested',
  LONG,
  async () => {
    const page = await app.open('/agents/new');
    await page.getByRole('link', { name: new RegExp(`^${en['agents.kind.acp']}`) }).click();
    await field(page, 'agents.field.agentId').fill('pip');
    await field(page, 'agents.field.displayName').fill('Pip');
    await field(page, 'agents.field.acp.command').fill('no-such-program');
    await button(page, 'agents.connection').click();
    await page.getByText('"no-such-program" is not on the PATH of the server.').waitFor();
    await page.getByText(en['agents.connectionBroken']).waitFor();

    await field(page, 'agents.field.acp.command').fill(process.execPath);
    await page.getByText(en['agents.connectionBroken']).waitFor({ state: 'detached' });
    await field(page, 'agents.field.acp.args').fill(`${PROGRAM}\n${machine}/memory`);
    await field(page, 'agents.field.acp.env').fill('GREETING=good morning');
    await field(page, 'agents.field.workspace.folder').fill(`${machine}/project`);
    const approvals = page.getByRole('group', { name: en['agents.field.approvals'] });
    await approvals.getByRole('button', { name: en['agents.addRule'], exact: true }).waitFor();
    await button(page, 'agents.connection').click();
    await page.getByText("The program wasn't started.").waitFor();

    await button(page, 'agents.make').click();
    const dialog = page.getByRole('dialog', { name: en['agents.confirmTitle'] });
    await dialog.getByText(`GREETING='good morning' ${process.execPath} ${PROGRAM} ${machine}/memory`).waitFor();
    await dialog.getByText(`${machine}/project`, { exact: true }).waitFor();
    await dialog.getByText('GREETING', { exact: true }).waitFor();
    await dialog.getByText(en['agents.confirmNoRights']).waitFor();
    await expectUsable(app, page, 'agent-kinds-confirm');
    await dialog.getByRole('button', { name: en['agents.confirmNo'] }).click();
    expect((await app.parley.request('GET', '/api/agents/pip')).status).toBe(404);
    await page.getByText(en['agents.notCreated']).waitFor();

    await button(page, 'agents.make').click();
    await dialog.getByRole('button', { name: en['agents.confirmYes'], exact: true }).click();
    await page.waitForURL('**/agents/pip');
    expect((await agent('pip')).definition).toMatchObject({
      type: 'acp',
      acp: { command: process.execPath, args: [PROGRAM, `${machine}/memory`], env: { GREETING: 'good morning' } },
      workspace: { folder: `${machine}/project` },
    });

    // The page for new agents has such a tab too.
    await page.getByRole('tab', { name: en['agents.tab.overview'] }).waitFor();
    await page.getByRole('tab', { name: en['agents.tab.form'] }).click();
    await button(page, 'agents.connection').click();
    await page.getByText('scripted 1 responded.').waitFor();
    await page.getByText(en['agents.connectionWorks']).waitFor();
    await page.getByText(en['agents.addRule']).click();
    await page.getByRole('combobox', { name: en['agents.rulePattern'], exact: true }).fill('*');
    await page.getByRole('combobox', { name: 'Approval for *' }).selectOption('allow');
    await button(page, 'agents.save').click();
    await dialog.getByText("Approvals: allows '*' without asking").waitFor();
    await page.keyboard.press('Escape');
    await page.getByText(en['agents.unsaved']).waitFor();
    await button(page, 'agents.save').click();
    await dialog.getByRole('button', { name: en['agents.confirmYes'], exact: true }).click();
    await page.getByText(en['agents.savedNow']).waitFor();
    expect((await agent('pip')).definition.approvals).toEqual({ '*': 'allow' });
    expect(app.trouble).toEqual([]);
  },
);

test('every kind has its own fields, and choosing another kind and going back loses nothing', LONG, async () => {
  const page = await app.open('/agents/new?kind=claude');
  await field(page, 'agents.field.chat.model').fill('opus');
  await page.getByRole('combobox', { name: en['agents.field.chat.cli.permissionMode'] }).selectOption('plan');
  await button(page, 'agents.kindChange').click();
  const kinds = [
    ['agents.kind.codex', 'agents.field.chat.cli.command'],
    ['agents.kind.pi', 'agents.field.chat.cli.args'],
    ['agents.kind.acp', 'agents.field.acp.guestMode'],
    ['agents.kind.a2a', 'agents.field.a2a.url'],
    ['agents.kind.external', 'agents.field.external.secret'],
    ['agents.kind.model', 'agents.field.chat.baseUrl'],
  ] as const;
  for (const [kind, own] of kinds) {
    await page.getByRole('radio', { name: new RegExp(`^${en[kind].replaceAll(/[()]/g, '\\$&')}`) }).check();
    await field(page, own).waitFor();
    expect(await page.getByRole('combobox', { name: en['agents.field.chat.cli.permissionMode'] }).count()).toBe(
      kind === 'agents.kind.codex' ? 1 : 0,
    );
  }
  await expectUsable(app, page, 'agent-kinds-form');
  await page.getByRole('radio', { name: new RegExp(`^${en['agents.kind.claude']}`) }).check();
  expect(await field(page, 'agents.field.chat.model').inputValue()).toBe('opus');
  await page.getByRole('tab', { name: en['agents.tab.json'] }).click();
  const json = page.getByRole('textbox', { name: en['agents.json'] });
  await expect.poll(() => json.textContent()).toContain('"permissionMode": "plan"');
  expect(await json.textContent()).not.toMatch(/"type"|"a2a"|"external"/);
  expect(app.trouble).toEqual([]);
});

test(
  'what was found on the machine is offered on the dashboard, added with its command, and can be dismissed',
  LONG,
  async () => {
    const page = await app.open('/');
    const found = page.getByRole('region', { name: en['agents.discovered'] });
    const claude = found.getByRole('listitem').filter({ hasText: 'Claude Code' });
    await claude.getByText('2.1.325').waitFor();
    await claude.getByText(en['agents.signedOut'], { exact: true }).waitFor();
    await claude.getByText('Run claude in a terminal and sign in').waitFor();
    await expectUsable(app, page, 'agent-kinds-found');
    const gemini = found.getByRole('listitem').filter({ hasText: 'Gemini CLI' });
    await gemini.getByRole('button', { name: 'Add Gemini CLI' }).click();
    const dialog = page.getByRole('dialog', { name: en['agents.confirmTitle'] });
    await dialog.getByText('gemini --acp', { exact: true }).waitFor();
    await dialog.getByRole('button', { name: en['agents.confirmYes'], exact: true }).click();
    await page.getByRole('button', { name: 'New session with Gemini CLI' }).waitFor();
    await gemini.waitFor({ state: 'detached' });
    expect((await agent('gemini')).definition.acp).toEqual({
      command: 'gemini',
      args: ['--acp'],
      ownFiles: true,
    });

    await claude.getByRole('button', { name: 'Add Claude Code' }).click();
    await dialog.getByText('claude', { exact: true }).waitFor();
    await dialog.getByRole('button', { name: en['agents.confirmNo'] }).click();
    await found.getByRole('button', { name: en['dashboard.dismissSteps'] }).click();
    await found.waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('button', { name: 'New session with Gemini CLI' }).waitFor();
    expect(await found.count()).toBe(0);
    await page.goto(`${app.parley.url}/agents/new`);
    await claude.getByText('2.1.325').waitFor();
    expect(app.trouble).toEqual([]);
  },
);

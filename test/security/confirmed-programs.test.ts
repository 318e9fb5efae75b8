import { mkdirSync, realpathSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentDefinition, AgentPatch } from '../../contract/agents.ts';
import { TestServer } from '../suites/test-server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({
    agents: [
      { agentId: 'known', chat: undefined, type: 'acp', acp: { command: '/bin/known', args: ['a b'] } },
      { agentId: 'careful', chat: undefined, type: 'acp', acp: { command: '/bin/other', mode: 'plan' } },
      {
        agentId: 'wide',
        extends: 'known',
        chat: undefined,
        workspace: { folder: '/srv' },
        approvals: { '*': 'allow' },
      },
      { agentId: 'plain', toolAllowlist: null },
    ],
    agent: { approvals: null },
    config: { tools: { bash: { agents: ['team/*'] }, files: { workspaces: { placed: '/usr' } } } },
  });
});
afterAll(() => server.close());

const COMMAND = "/bin/known 'a b'";
let made = 0;

function newName(): string {
  made += 1;
  return `made/${made}`;
}

/** What has to be confirmed for a new agent; null when it is made without. */
async function asked(definition: AgentPatch, agentId = newName()): Promise<string | null> {
  const body: AgentDefinition = { agentId, ...definition };
  const { status, body: problem } = await server.ask('createAgent', { body });
  if (status === 201) return null;
  const { code, issues } = problem as unknown as { code: string; issues: string[] };
  expect([status, code, issues.length], issues.join()).toEqual([422, 'command_unconfirmed', 1]);
  const [words] = issues as [string];
  for (const confirm of [words.slice(0, -1), words.slice(0, words.indexOf('\n')), `${words} `])
    await server.refused('command_unconfirmed', 'createAgent', { body, query: { confirm } });
  return words;
}

const acp = { command: '/bin/known', args: ['a b'] };

describe('what a program may do is confirmed with its command', () => {
  it.each<[string, AgentPatch, string]>([
    ['a folder', { type: 'acp', acp, workspace: { folder: '/etc' } }, `${COMMAND}\nWorks in /etc`],
    [
      'a folder that is inherited and changed',
      { extends: 'known', workspace: { folder: '/etc' } },
      `${COMMAND}\nWorks in /etc`,
    ],
    [
      'a folder that has git worktrees',
      { extends: 'known', workspace: { folder: '/etc', per: 'worktree' } },
      `${COMMAND}\nWorks in git worktrees of /etc`,
    ],
    [
      'a folder beside the one that is known',
      { extends: 'wide', workspace: { folder: '/srv/../opt' } },
      `${COMMAND}\nWorks in /opt\nApprovals: allows '*' without asking`,
    ],
    [
      'approvals',
      { extends: 'known', approvals: { bash: 'ask', 'x_*': 'deny', '*': 'allow', later: 'ask' } },
      `${COMMAND}\nApprovals: asks for bash, denies 'x_*', allows '*' without asking`,
    ],
    [
      'approvals that block less than those that are known',
      { extends: 'wide', approvals: { '*': 'allow' }, toolDenylist: ['Bash'] },
      `${COMMAND}\nWorks in /srv\nApprovals: blocks Bash, allows '*' without asking`,
    ],
    ['a mode', { extends: 'known', acp: { mode: 'bypass' } }, `${COMMAND}\nMode: bypass`],
    ['a mode of guests', { extends: 'known', acp: { guestMode: 'yolo' } }, `${COMMAND}\nMode for guests: yolo`],
    ['a mode of others', { extends: 'known', acp: { modes: { 'k/r': 'yolo' } } }, `${COMMAND}\nMode for k/r: yolo`],
    ['an option', { extends: 'known', acp: { configOptions: { free: true } } }, `${COMMAND}\nOption free: true`],
    [
      'what Claude Code may do without asking',
      { chat: { provider: 'claude-cli', cli: { permissionMode: 'acceptEdits' } }, workspace: { folder: '/srv' } },
      'claude\nPermission mode acceptEdits: it changes files without asking\nWorks in /srv',
    ],
    ['a folder for Codex', { chat: { provider: 'codex-cli' }, workspace: { folder: '/srv' } }, 'codex\nWorks in /srv'],
    [
      'text that cannot be seen, as what it is',
      { type: 'acp', acp: { command: '/bin/known', args: ["a\nWorks in '/nowhere'", 'e\u202evil'] } },
      "/bin/known $'a\\nWorks in \\'/nowhere\\'' $'e\\U0000202evil'",
    ],
  ])('%s', async (_, definition, words) => {
    expect(await asked(definition)).toBe(words);
  });

  it('and that a mode or an option is dropped, because the one that the program has by itself may let it do more', async () => {
    expect(await asked({ extends: 'careful', acp: { mode: null } })).toBe('/bin/other');
    const params = { agentId: 'careful' };
    await server.refused('command_unconfirmed', 'updateAgent', { params, body: { acp: { mode: null } } });
    expect(await asked({ extends: 'careful' })).toBeNull();
    expect(await asked({ extends: 'careful', acp: { configOptions: { free: 'true' } } })).toBe(
      "/bin/other\nMode: plan\nOption free: 'true'",
    );
  });

  it('and a folder that the files name for an agent of that name', async () => {
    expect(await asked({ extends: 'known' }, 'placed')).toBe(`${COMMAND}\nWorks in /usr`);
  });

  it('and commands that an agent runs unasked with bash', async () => {
    const words = 'bash\nApprovals: allows every command on this machine without asking';
    expect(await asked({ extends: 'plain', approvals: { 'ba*': 'allow' } }, 'team/free')).toBe(words);
    expect(await asked({ extends: 'plain', approvals: { bash: 'ask', '*': 'allow' } }, 'team/asks')).toBeNull();
    expect(await asked({ extends: 'plain', approvals: { bash: 'allow' } }, 'elsewhere')).toBeNull();
  });

  it('once: what an agent here may do already, or less, is not asked about again', async () => {
    for (const definition of [
      { type: 'acp', acp },
      { extends: 'known', approvals: { '*': 'ask' }, toolDenylist: ['*'] },
      { extends: 'wide' },
      { extends: 'wide', workspace: null },
      { extends: 'wide', workspace: { per: 'session' } },
      { extends: 'wide', approvals: { '*': 'deny' } },
      { chat: { provider: 'claude-cli', cli: { permissionMode: 'plan' } } },
    ] satisfies AgentPatch[])
      expect([
        definition,
        await asked({ ...definition, ...(definition.workspace === null && { approvals: null }) }),
      ]).toEqual([definition, null]);
  });

  it('and a change has to be confirmed like a new agent, for its heirs too, as one text', async () => {
    const params = { agentId: 'known' };
    const body = { workspace: { folder: '/opt' }, acp: { args: ['b'] } };
    const { issues } = await server.refused('command_unconfirmed', 'updateAgent', { params, body });
    const [words] = issues!;
    expect(words!.split('\n\n')).toContain('/bin/known b\nWorks in /opt');
    expect(words!.split('\n\n')).toContain("/bin/known b\nWorks in /srv\nApprovals: allows '*' without asking");
    const first = words!.split('\n\n')[0]!;
    await server.refused('command_unconfirmed', 'updateAgent', { params, body, query: { confirm: first } });
    await server.call('updateAgent', { params, body, query: { confirm: words! } });
    const { resolved } = await server.call('getAgent', { params: { agentId: 'wide' } });
    expect(resolved.acp?.args).toEqual(['b']);
  });
});

describe('the workspace of an agent', () => {
  it('is not the data folder, nothing around it and nothing in it but workspaces, however it is spelt', async () => {
    const home = server.parley.home;
    const link = path.join(realpathSync('/tmp'), `link-${process.pid}`);
    symlinkSync(home, link);
    mkdirSync(path.join(home, 'workspaces', 'mine'), { recursive: true });
    for (const folder of [home, path.dirname(home), '/', '.', 'agents', link, `${home}/../${path.basename(home)}`]) {
      const body = { agentId: 'made/in', extends: 'plain', workspace: { folder } };
      const { issues } = await server.refused('configuration_invalid', 'createAgent', { body });
      expect([folder, issues![0]]).toEqual([folder, expect.stringMatching(/workspace\.folder .* the data folder/)]);
      const params = { agentId: 'plain' };
      await server.refused('configuration_invalid', 'updateAgent', { params, body: { workspace: { folder } } });
    }
    const body = { agentId: 'made/in', extends: 'plain', workspace: { folder: 'workspaces/mine' } };
    expect((await server.ask('createAgent', { body })).status).toBe(201);
  });
});

import {
  existsSync,
  linkSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Route } from '../../contract/routes.ts';
import type { RunTool } from '../../contract/tools.ts';
import { until } from '../harness/parley.ts';
import { rawRequest } from '../harness/raw-request.ts';
import type { RecordedRequest } from '../harness/scripted-provider.ts';
import { type Script, text } from '../harness/scripted-script.ts';
import { scripted } from '../mcp/mcp-fixture.ts';
import { waitingIn } from '../suites/answering.ts';
import { callsIn, wireMessages } from '../suites/calling.ts';
import { TestServer } from '../suites/test-server.ts';
import { BODIES, pathOf, QUERIES, TABLE } from './routes.ts';

/** What the server knows and no program it starts may know, or obey. */
const SECRETS = {
  PARLEY_TOKEN: `token-of-the-person-${'x'.repeat(30)}`,
  OPENAI_API_KEY: 'sk-secret-of-openai',
  ANTHROPIC_API_KEY: 'sk-secret-of-anthropic',
  AWS_SECRET_ACCESS_KEY: 'secret-of-aws',
  GIVEN_SECRET: 'secret-that-is-given',
};
const OBEYED = {
  NODE_OPTIONS: '--no-warnings',
  LD_PRELOAD: '/nowhere/preloaded.so',
  LD_LIBRARY_PATH: '/nowhere/libraries',
  BASH_ENV: '/nowhere/bash-env',
  'BASH_FUNC_ls%%': '() { echo obeyed; }',
  PYTHONPATH: '/nowhere/python',
  GIT_CONFIG_GLOBAL: '/nowhere/git',
};
/** With these, what an MCP server's configuration says would run code in programs that the server starts. */
const DANGEROUS = [
  'NODE_OPTIONS',
  'GIT_SSH_COMMAND',
  'GIT_EXTERNAL_DIFF',
  'LESSOPEN',
  'NODE_V8_COVERAGE',
  'OPENSSL_CONF',
  'npm_config_script_shell',
];
const PASSED =
  /^(PATH|HOME|USER|LANG|TZ|TMPDIR|TERM|LC_\w+|SHLVL|PWD|OLDPWD|_|PARLEY_URL|PARLEY_TURN_TOKEN|PARLEY_PROCESS)$/;

const folder = mkdtempSync(path.join(tmpdir(), 'parley-workspace-'));
const file = (name: string) => path.join(folder, name);
const told = (name: string, input: object) => JSON.stringify({ name, input: JSON.stringify(input) });
const bash = (command: string, more: object = {}) => told('bash', { command, ...more });

/** Calls what the message says, whatever is in it, and then says that it is done. */
function doAsTold(request: RecordedRequest): Script {
  if (!request.said.startsWith('{') || wireMessages(request).at(-1)!.role === 'tool') return { steps: text('Done.') };
  return { steps: [{ kind: 'toolCall', id: 'c1', ...JSON.parse(request.said) }] };
}

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({
    agents: [
      { agentId: 'ada', toolExposure: 'mixed' },
      { agentId: 'bob', toolAllowlist: ['journal_*'], approvals: { '*': 'ask' } },
    ],
    agent: { toolAllowlist: ['bash', 'todo_*', 'it__*', 'files_*'], approvals: { bash: 'allow' } },
    env: { ...SECRETS, ...OBEYED },
    config: {
      // Every route is tried with a token that it refuses.
      limits: { wrongCredentialsPerMinute: 1_000_000 },
      tools: { bash: { agents: ['ada'] }, files: { workspaces: { ada: folder } } },
      mcpServers: {
        it: scripted({}, { approval: 'allow', env: { GIVEN: '${GIVEN_SECRET}' } }),
        obedient: scripted({}, { env: Object.fromEntries(DANGEROUS.map((name) => [name, '/nowhere/x'])) }),
        homely: scripted({}, { cwd: '.' }),
      },
    },
  });
  server.provider.script(doAsTold);
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('what a program knows', () => {
  it('a script: how to call back, the little it needs, and nothing else', async () => {
    const { answer } = await server.say(await server.open(), bash('env -0 | tr "\\0" "\\t"; ls /nowhere 2>&1'));
    const { outputs, calls } = await outputsOf(answer!.turnId!);
    expect(calls[0]!.state).toBe('failed');
    const names = outputs[0]!.split('\t').flatMap((line) => (line.includes('=') ? [line.split('=')[0]!] : []));
    expect(names).toEqual(expect.arrayContaining(['PATH', 'PARLEY_URL', 'PARLEY_TURN_TOKEN', 'PARLEY_PROCESS']));
    expect(names.filter((name) => !PASSED.test(name))).toEqual([]);
    for (const value of [...Object.values(SECRETS), ...Object.values(OBEYED)]) expect(outputs[0]).not.toContain(value);
  });

  it('an MCP server: no token either, and of the keys only the one it is given', async () => {
    const { answer } = await server.say(await server.open(), told('it__environment', {}));
    const [output] = (await outputsOf(answer!.turnId!)).outputs;
    const names = Object.keys(JSON.parse(output!)).filter((name) => !PASSED.test(name));
    expect(names).toEqual(['GIVEN']);
    expect(output).not.toContain('PARLEY_URL');
    expect(output).not.toContain('TOKEN');
    const known = Object.values({ ...SECRETS, ...OBEYED }).filter((value) => output!.includes(value));
    expect(known).toEqual([SECRETS.GIVEN_SECRET]);
    const refused = `Its env sets ${DANGEROUS.join(', ')}, which is not allowed.`;
    expect(await failureOf('obedient')).toBe(refused);
  });

  it('its text is one argument: nothing of it is an option of the shell', async () => {
    for (const command of ['--version', '-i', '--rcfile=/nowhere/x', '-c "echo obeyed"']) {
      const { answer } = await server.say(await server.open(), bash(command));
      expect((await outputsOf(answer!.turnId!)).outputs[0]).toMatch(/command not found|No such file/);
    }
  });

  async function outputsOf(turnId: string) {
    const { calls } = await server.call('listToolCalls', { params: { turnId } });
    const outputs = calls.map(({ id }) => server.ask('toolCallOutput', { params: { callId: id } }));
    return { calls, outputs: (await Promise.all(outputs)).map(({ body }) => String(body)) };
  }
});

async function failureOf(wanted: string): Promise<string | null> {
  const { servers } = await server.call('listMcpServers');
  const { state, error } = servers.find(({ name }) => name === wanted)!;
  expect(state).toBe('failed');
  return error;
}

describe('where programs and files are', () => {
  it('an MCP server starts in a folder of its own, and not in the data folder if it is configured so', async () => {
    await server.say(await server.open(), told('it__hello', { name: 'Ada' }));
    const { home, pid } = server.parley;
    const folders = childrenOf(pid).map((child) => readlinkSync(`/proc/${child}/cwd`));
    expect(folders).toEqual([path.join(home, 'mcp/it')]);
    expect(statSync(folders[0]!).mode & 0o777).toBe(0o700);
    expect(await failureOf('homely')).toContain('Its cwd must not be the data folder');
  });

  it('folders that an agent makes are for the person alone', async () => {
    const { answer } = await server.say(
      await server.open(),
      told('files_write', { path: 'new/deep/x.txt', content: 'x' }),
    );
    expect(callsIn(answer!)[0]).toMatchObject({ state: 'complete' });
    for (const made of ['new', 'new/deep']) expect(statSync(file(made)).mode & 0o777).toBe(0o700);
  });

  it('a file outside is neither read nor changed through a hard link', async () => {
    const outside = path.join(server.parley.home, 'outside.txt');
    writeFileSync(outside, 'The door code is 1234.');
    linkSync(outside, file('hard.txt'));
    const id = await server.open();
    for (const [tool, more] of [
      ['files_read', {}],
      ['files_edit', { find: '1234', replace: '0' }],
    ] as const) {
      const { answer } = await server.say(id, told(tool, { path: 'hard.txt', ...more }));
      const { calls } = await server.call('listToolCalls', { params: { turnId: answer!.turnId! } });
      expect(calls).toMatchObject([{ state: 'failed', output: expect.stringContaining('is a hard link') }]);
    }
    expect(readFileSync(outside, 'utf8')).toBe('The door code is 1234.');
  });
});

describe('how long a program lives', () => {
  /** Itself, one in a session of its own, one with an empty environment, one that ignores signals; each says who it is. */
  const family = (name: string) =>
    [
      `say() { echo $BASHPID >> ${name}; }; export -f say; say`,
      `(setsid bash -c 'say; exec sleep 300' &)`,
      `(setsid env -i PATH="$PATH" bash -c 'echo $$ >> ${name}; exec sleep 300' &)`,
      `nohup bash -c 'trap "" TERM HUP INT; say; sleep 300; sleep 300' > /dev/null 2>&1 &`,
      'sleep 300',
    ].join('\n');

  async function started(name: string, more: object = {}) {
    const sessionId = await server.open();
    const { turn } = await server.send(sessionId, bash(family(name), more));
    const pids = await until(
      async () => (existsSync(file(name)) ? readFileSync(file(name), 'utf8').trim().split('\n').map(Number) : []),
      (all) => all.length === 4,
    );
    return { sessionId, turnId: turn.id, pids };
  }

  const gone = (pids: number[]) =>
    until(
      async () => pids.filter(isAlive),
      (alive) => alive.length === 0,
    );

  it('ends with the turn, by whatever that ends, and when its time is up', async () => {
    const [cancelled, late, deleted] = await Promise.all([
      started('cancelled'),
      started('late', { timeoutSeconds: 4 }),
      started('deleted'),
    ]);
    await server.cancelTurn(cancelled.turnId);
    await server.call('deleteSession', { params: { sessionId: deleted.sessionId } });
    await gone([...cancelled.pids, ...late.pids, ...deleted.pids]);
    expect((await server.settled(cancelled.turnId)).state).toBe('cancelled');
    expect((await server.settled(late.turnId)).state).toBe('complete');
    const { calls } = await server.call('listToolCalls', { params: { turnId: late.turnId } });
    expect(calls).toMatchObject([{ state: 'failed', output: expect.stringContaining('stopped after 4 s') }]);
  });

  it('ends with the next start when the server was killed, and so do MCP servers', async () => {
    await server.say(await server.open(), told('it__hello', { name: 'Ada' }));
    const { turnId, pids } = await started('killed');
    const children = childrenOf(server.parley.pid);
    expect(children.length).toBeGreaterThanOrEqual(2);
    expect(children).toContain(pids[0]);
    await server.parley.kill();
    expect(pids.filter(isAlive)).toEqual(pids);
    await server.parley.restart();
    await gone([...pids, ...children]);
    expect((await server.turn(turnId)).state).toBe('interrupted');
  });
});

function isAlive(pid: number): boolean {
  return statOf(pid) !== undefined && !/\) [ZX] /.test(statOf(pid)!);
}

function statOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined;
  }
}

function childrenOf(parent: number): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => statOf(pid)?.split(') ')[1]?.split(' ')[1] === String(parent));
}

describe('the token of a turn', () => {
  /** A turn whose script shows its token to the test alone, and lasts until it is told to end. */
  async function inScript(name: string, more: object = {}) {
    const sessionId = await server.open();
    const script = `(umask 077; echo $PARLEY_TURN_TOKEN > ${name}.tmp; mv ${name}.tmp ${name})
      until [ -e ${name}.end ]; do sleep 0.05; done`;
    const { turn } = await server.send(sessionId, bash(script, more));
    await until(
      async () => existsSync(file(name)),
      (isThere) => isThere,
    );
    const token = readFileSync(file(name), 'utf8').trim();
    const headers = { Authorization: `Bearer ${token}` };
    const use = (body: RunTool) => server.ask('runTool', { body, headers });
    return { sessionId, turnId: turn.id, token, headers, use, end: () => writeFileSync(file(`${name}.end`), '') };
  }

  it('opens what is for turns and nothing else, on every route there is', async () => {
    const asked = await server.open('bob');
    const asking = await server.send(asked, told('journal_add', { title: 'x', text: 'x' }));
    const [action] = await waitingIn(server, asked);
    const { sessionId, turnId, token, end } = await inScript('walk');
    const message = (await server.messages(sessionId))[0]!;
    const ids = { sessionId, turnId, messageId: message.id, actionId: action!.id, agentId: 'ada', name: 'it' };
    const callId = action!.approval!.callId!;
    const before = await everything();
    const open: string[] = [];
    for (const [name, route] of TABLE.filter(([, { access }]) => access !== 'open')) {
      const answer = await withToken(route, pathOf(route, { ...ids, callId }) + (QUERIES[name] ?? ''), BODIES[name]);
      if (answer.status !== 401) open.push(name);
      else expect([name, answer.body]).toEqual([name, expect.stringMatching(refusalOf(route))]);
    }
    expect(open.sort()).toEqual(['listSkills', 'listTools', 'runTool', 'turnTools']);
    expect(await everything()).toEqual(before);
    end();
    expect((await server.settled(turnId)).state).toBe('complete');
    await server.cancelTurn(asking.turn.id);

    function withToken(route: Route, target: string, body: unknown) {
      const headers = {
        Host: new URL(server.parley.url).host,
        Authorization: `Bearer ${token}`,
        Cookie: `parley=${token}`,
      };
      const sent = body === undefined ? undefined : JSON.stringify(body);
      return rawRequest(server.parley, route.method, target, { ...headers, 'Content-Type': 'application/json' }, sent);
    }
  });

  async function everything() {
    const { sessions } = await server.call('listSessions', { query: { limit: 200 } });
    const { actions } = await server.call('listActions');
    const { agents } = await server.call('listAgents');
    return {
      sessions: sessions.map(({ id, name, status, headId }) => ({ id, name, status, headId })),
      actions,
      agents,
    };
  }

  it('is the agent’s, never the person’s, and cut to what the session may do at that moment', async () => {
    const { sessionId, turnId, headers, use, end } = await inScript('scope');
    const { tools } = await server.call('listTools', { query: { agent: 'bob' }, headers });
    const names = tools.map(({ name }) => name);
    expect(names).toContain('todo_add');
    expect(names.filter((name) => name.startsWith('journal_'))).toEqual([]);
    // A person may use every tool; their token is not what this is.
    expect(await use({ tool: 'journal_add', input: { title: 'x', text: 'x' } })).toMatchObject({
      status: 403,
      body: { code: 'tool_not_allowed' },
    });
    expect(await use({ tool: 'todo_add', input: { title: 'mine' } })).toMatchObject({ status: 200 });
    await server.call('patchSession', { params: { sessionId }, body: { mode: 'read-only' } });
    const denied = await use({ tool: 'todo_add', input: { title: 'no longer' } });
    expect(denied).toMatchObject({ status: 403, body: { code: 'tool_not_allowed' } });
    end();
    await server.settled(turnId);
    const { answer } = await server.call('getTurn', { params: { turnId } });
    const made = callsIn(answer!).map(({ name, via, state }) => [name, via, state]);
    expect(made).toEqual([
      ['bash', undefined, 'complete'],
      ['journal_add', 'skill', 'rejected'],
      ['todo_add', 'skill', 'complete'],
      ['todo_add', 'skill', 'rejected'],
    ]);
    const { entries } = await server.call('listAudit', { query: { limit: 20 } });
    expect(entries.filter(({ action }) => action === 'tool.used')).toEqual([]);
  });

  it('dies with the turn, also where its program lives on, and is written down nowhere', async () => {
    const cancelled = await inScript('stopped');
    await server.cancelTurn(cancelled.turnId);
    const aside = await inScript('aside', { background: true });
    await server.settled(aside.turnId);
    for (const { use, headers, token } of [cancelled, aside]) {
      const late = await use({ tool: 'todo_add', input: { title: 'late' } });
      expect(late).toMatchObject({ status: 401, body: { code: 'turn_token_invalid' } });
      for (const route of ['listTools', 'listSkills', 'listSessions'] as const)
        expect([route, (await server.ask(route, { headers })).status]).toEqual([route, 401]);
      const forged = { Authorization: `Bearer ${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}` };
      expect((await server.ask('listTools', { headers: forged })).status).toBe(401);
    }
    for (const token of [cancelled.token, aside.token]) {
      const holding = readdirSync(server.parley.home, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .filter((entry) => holds(path.join(entry.parentPath, entry.name), token));
      expect(holding.map(({ name }) => name)).toEqual([]);
      expect(server.parley.stderr).not.toContain(token);
    }
    aside.end();
  });

  /** What is written down about a process goes away with it, also while somebody looks. */
  function holds(place: string, token: string): boolean {
    try {
      return readFileSync(place).includes(token);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
      throw error;
    }
  }
});

/** Clients of the OpenAI API read failures in its shape. */
function refusalOf({ protocol, access }: Route): RegExp {
  // A webhook tells strangers only that it takes no such request.
  if (access === 'signed') return /"code":"webhook_refused"/;
  if (protocol === 'a2a') return /"(reason|code)":"unauthorized"/i;
  return protocol === 'openai' ? /"code":"invalid_api_key"/ : /"code":"unauthorized"/;
}

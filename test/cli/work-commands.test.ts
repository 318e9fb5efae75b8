import { beforeEach, describe, expect, test } from 'vitest';
import type { AnswerAction } from '../../contract/actions.ts';
import type { TurnNode } from '../../contract/delegation.ts';
import type { McpServerInfo, ToolInfo } from '../../contract/tools.ts';
import { FakeServer, Refusal } from './fake-server.ts';
import { type Ended, type How, parley } from './parley.ts';
import { AT, anAction, aSession, aTurn } from './shapes.ts';

let server: FakeServer;

beforeEach(async () => {
  server = await FakeServer.start();
});

function run(args: readonly string[], how: How = {}): Promise<Ended> {
  return parley('/nonexistent/parley', args, { ...how, env: { ...server.env, ...how.env } });
}

async function output(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

const APPROVAL = {
  callId: 'c1',
  tool: 'bash',
  description: 'Run a command.',
  input: '{"command":"make\\nrm -rf build"}',
  risk: 'execute' as const,
  source: { kind: 'built-in' as const, id: 'bash' },
  capabilities: ['shell'],
};
const ID = '01990000-0000-7000-8000-00009f3c21ab';
const approval = anAction({ id: ID, approval: APPROVAL });
const question = anAction({
  id: '01990000-0000-7000-8000-00005d20e711',
  kind: 'question',
  title: 'a asks you something',
  question: { question: 'Which colour?' },
});

describe('tools', () => {
  const tool = (name: string, properties: Record<string, object> = {}): ToolInfo => ({
    name,
    description: `Does ${name}.`,
    inputSchema: { type: 'object', properties: properties as never, required: Object.keys(properties).slice(0, 1) },
    capabilities: [],
    source: { kind: 'built-in', id: 'reading-list' },
    risk: 'write',
  });
  const tools = [
    tool('reading_list_add', { url: { type: 'string', description: 'Where it is' }, year: { type: 'string' } }),
    tool('reading_list_mark_read', { id: { type: 'string' } }),
  ];
  const skill = {
    id: 'reading-list',
    description: 'Links to read.',
    skillPath: '/x/SKILL.md',
    command: 'parley tool reading-list',
    operations: ['add', 'mark-read'],
  };

  beforeEach(() => {
    server.answers.listTools = () => ({ tools });
    server.answers.listSkills = () => ({ skills: [skill] });
    server.answers.runTool = ({ body }) => ({
      tool: 'reading_list_add',
      output: `got ${JSON.stringify(body)}\u001b[2J`,
      isError: false,
      callId: null,
    });
  });

  test('are listed, all of them or those of an agent, also as JSON', async () => {
    expect(await output('tools')).toMatch(
      /^Tool +Risk +From +About\nreading_list_add +write +built-in reading-list +Does/,
    );
    expect(JSON.parse(await output('tools', '--json', '-a', 'wisp/concierge'))).toEqual(tools);
    expect(server.asked('listTools').at(-1)?.query).toEqual({ agent: 'wisp/concierge' });
    expect(await output('skills')).toBe(
      'reading-list  Links to read.\n  parley tool reading-list add | mark-read\n  /x/SKILL.md\n',
    );
  });

  test('are used by plugin and operation, with values as the tool wants them', async () => {
    const words = [
      'reading-list',
      'add',
      '--url',
      'https://x',
      '--year=2026',
      '--tags',
      'a',
      '--tags',
      'b',
      '--n',
      '3',
    ];
    const shown = await output('tool', ...words);
    expect(server.asked('runTool')[0]?.body).toEqual({
      plugin: 'reading-list',
      operation: 'add',
      input: { url: 'https://x', year: '2026', tags: ['a', 'b'], n: 3 },
    });
    expect(shown).toMatch(/^got .*␛\[2J\n$/);
  });

  test('take options of ours as their own after the plugin', async () => {
    await output('tool', 'reading-list', 'add', '--version', '1', '--home', 'sweet', '--json', '{"a":1}');
    expect(server.asked('runTool')[0]?.body.input).toEqual({ a: 1, version: 1, home: 'sweet' });
  });

  test('are used by their own name, and with input from a pipe', async () => {
    await run(['tool', 'reading_list_add', '-', '--year', '1999'], { input: '{"url":"u"}' });
    await run(['tool', 'reading_list_add', '--url', '-'], { input: 'long text\n' });
    expect(server.asked('runTool').map(({ body }) => body)).toEqual([
      { tool: 'reading_list_add', input: { url: 'u', year: '1999' } },
      { tool: 'reading_list_add', input: { url: 'long text\n' } },
    ]);
  });

  test('that fail make the command fail, with what they said', async () => {
    server.answers.runTool = () => ({ tool: 't', output: 'no such link', isError: true, callId: null });
    expect(await run(['tool', 'reading-list', 'add'])).toEqual({ code: 1, stdout: '', stderr: 'no such link\n' });
    server.answers.runTool = () => {
      throw new Refusal('tool_not_allowed', 'wisp/concierge may not use it.');
    };
    expect((await run(['tool', 'reading-list', 'add'])).stderr).toBe('Error: wisp/concierge may not use it.\n');
  });

  test('explain themselves: a plugin its operations, an operation what it takes', async () => {
    expect(await output('tool', 'reading-list', '--help')).toContain(
      '  mark-read             Does reading_list_mark_read.',
    );
    expect(await output('tool', 'reading-list')).toContain('Usage: parley tool reading-list <operation>');
    const takes = await output('tool', 'reading-list', 'add', '--help');
    expect(takes).toContain('--url               string, needed: Where it is');
    expect((await run(['tool', 'nothing'])).stderr).toContain('There is no plugin nothing.');
    expect((await run(['tool', 'reading-list', 'burn', '--help'])).stderr).toContain('It has: add, mark-read');
    expect(server.asked('runTool')).toEqual([]);
  });

  test("speak with the turn's token where there is one, whatever the command, and never with the person's", async () => {
    const env = { PARLEY_TURN_TOKEN: 'of-the-turn' };
    await run(['tool', 'reading-list', 'add', '--url', 'x'], { env });
    await run(['approve'], { env });
    expect(new Set(server.requests.map(({ authorization }) => authorization))).toEqual(new Set(['Bearer of-the-turn']));
    const { code, stderr } = await run(['tools'], { env: { ...env, PARLEY_URL: '' } });
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('no server is running') });
  });
});

describe('explain', () => {
  const rule = { list: 'toolDenylist' as const, pattern: 'ba*', subject: 'bash', of: 'a' };
  const no = { allowed: false, rule, reason: '"ba*" in its toolDenylist refuses it' };
  const yes = {
    allowed: true,
    rule: { ...rule, list: 'none' as const, pattern: null },
    reason: 'nothing restricts it',
  };

  test('names the rule that decided and what others could do for the agent', async () => {
    server.answers.explain = () => ({
      agentId: 'a',
      fullAuthority: false,
      tools: [
        { tool: 'bash', decision: no, approval: 'ask', approvalRule: 'by risk' },
        { tool: 'todo_add', decision: yes, approval: 'allow', approvalRule: 'by risk' },
      ],
      skills: [{ plugin: 'todo', decision: yes }],
      agents: [{ agentId: 'b', decision: yes }],
      reach: { agents: [{ agentId: 'c', via: ['b'] }], tools: [{ tool: 'bash', through: ['c'] }] },
    });
    const shown = await output('explain', 'a');
    expect(shown).toMatch(/^a may use 1 of 2 tools\.\n/);
    expect(shown).toMatch(/bash +no +- +"ba\*" in its toolDenylist refuses it/);
    expect(shown).toMatch(/todo_add +yes +allow +nothing restricts it/);
    expect(shown).toContain('reaches b → c');
    expect(shown).toContain('can have bash used by c');
    expect(shown).not.toContain('full authority');
    const one = await output('explain', 'a', 'bash');
    expect(one).toContain('a may not use bash: "ba*" in its toolDenylist refuses it');
    expect(one).toContain('rule: toolDenylist "ba*" of a, matched against bash');
    expect(one).toContain('It can have it used by others, though: c.');
    expect(server.asked('explain').at(-1)?.query).toEqual({ agent: 'a', tool: 'bash' });
  });

  test('says in clear words that an agent with bash may do anything', async () => {
    server.answers.explain = () => ({
      agentId: 'a',
      fullAuthority: true,
      tools: [{ tool: 'bash', decision: yes, approval: 'ask', approvalRule: 'by risk' }],
      skills: [],
      agents: [],
      reach: { agents: [], tools: [] },
    });
    expect(await output('explain', 'a')).toContain(
      'It has full authority: through bash, a may run any command on this machine as you.',
    );
  });
});

describe('what waits for a person', () => {
  let answers: { id: string; answer: AnswerAction }[];

  beforeEach(() => {
    answers = [];
    server.answers.listActions = ({ query }) => ({
      actions: query.state === undefined || query.state === 'open' ? [approval] : [],
    });
    server.answers.answerAction = ({ params, body }) => {
      answers.push({ id: params.actionId!, answer: body as AnswerAction });
      return { ...approval, state: 'answered', answer: body };
    };
    server.answers.getAction = () => {
      throw new Refusal('action_not_found', 'There is no such action.');
    };
  });

  function waiting(...actions: ReturnType<typeof anAction>[]): void {
    server.answers.listActions = () => ({ actions });
  }

  test('is listed with everything that would happen and the commands that answer it', async () => {
    const shown = await output('actions');
    expect(shown).toContain('a wants to use bash');
    expect(shown).toContain('  bash (execute, built-in bash, shell)\n  command:\n  │ make\n  │ rm -rf build\n');
    expect(shown).toContain('parley approve 9f3c21ab');
    expect(shown).toContain('parley deny 9f3c21ab --reason');
    server.answers.listActions = ({ query }) => ({
      actions: [anAction({ id: `x${query.state}`, state: query.state as never })],
    });
    expect(JSON.parse(await output('actions', '--all', '--json'))).toHaveLength(4);
    await output('actions', '-s', 'default');
    expect(server.asked('listActions').at(-1)?.query).toMatchObject({ session: 's' });
    waiting();
    expect(await output('actions')).toBe('Nothing waits for you.\n');
  });

  test('an argument cannot pass for another one', async () => {
    waiting(anAction({ approval: { ...APPROVAL, input: JSON.stringify({ command: 'ls\n  safe: yes\u001b[1A' }) } }));
    const shown = await output('actions');
    expect(shown).toContain('  command:\n  │ ls\n  │   safe: yes␛[1A\n');
  });

  test.each([
    [['approve'], { decision: 'once' }],
    [['approve', '9f3c21ab', '--session'], { decision: 'session' }],
    [['approve', '01990000', '--always'], { decision: 'always' }],
    [['approve', ID, '--input', '{"command":"ls"}'], { decision: 'once', input: { command: 'ls' } }],
    [['deny'], { decision: 'deny' }],
    [['deny', '21ab', '--reason', 'not today'], { decision: 'deny', reason: 'not today' }],
  ])('%j answers an approval', async (args, answer) => {
    await output(...args);
    expect(answers).toEqual([{ id: ID, answer }]);
  });

  test.each([
    ['limit', 'approve', 'continue'],
    ['limit', 'deny', 'stop'],
    ['failure', 'approve', 'retry'],
    ['failure', 'deny', 'dismiss'],
    ['question', 'deny', 'decline'],
  ] as const)('a %s: %s means %s', async (kind, command, decision) => {
    waiting(anAction({ kind }));
    await output(command);
    expect(answers).toEqual([{ id: 'x1', answer: { decision } }]);
  });

  test.each([
    [['answer', 'the blue one'], { decision: 'answer', text: 'the blue one' }],
    [['answer', '5d20e711', 'blue'], { decision: 'answer', text: 'blue' }],
    [['answer', '5d20e711', '--decline'], { decision: 'decline' }],
    [['answer', '--decline'], { decision: 'decline' }],
  ])('%j answers a question beside other things that wait', async (args, answer) => {
    waiting(approval, question);
    await output(...args);
    expect(answers).toEqual([{ id: question.id, answer }]);
  });

  test('fields are answered with the values they want', async () => {
    const fields = [
      { name: 'size', type: 'integer' as const, required: true },
      { name: 'colours', type: 'choices' as const, options: ['red', 'blue', 'green'] },
      { name: 'gift', type: 'boolean' as const },
    ];
    waiting({ ...question, question: { question: 'What do you want?', fields } });
    await output('answer', '--field', 'size=3', '--field', 'colours=blue,3', '--field', 'gift=yes');
    expect(answers[0]?.answer.values).toEqual({ size: 3, colours: ['blue', 'green'], gift: true });
    expect((await run(['answer', 'blue'])).stderr).toContain('size=… colours=… gift=…');
    expect((await run(['answer', '--field', 'size=big'])).stderr).toBe('Error: size: It must be a whole number.\n');
    expect((await run(['answer', '--field', 'weight=1'])).stderr).toContain('names no field');
  });

  test('is not guessed at when it could be something else', async () => {
    waiting(approval, anAction({ id: '01990000-0000-7000-8000-00001111ffff' }));
    const several = await run(['approve']);
    expect(several).toMatchObject({ code: 2, stderr: expect.stringContaining('9f3c21ab  a wants to use bash') });
    expect((await run(['approve', '01990000'])).stderr).toContain('could be 2 actions');
    expect((await run(['approve', 'zzzz'])).stderr).toContain('begins or ends with zzzz');
    waiting(question);
    expect((await run(['approve'])).stderr).toContain('parley answer 5d20e711');
    waiting(approval);
    expect((await run(['answer', 'x', 'y'])).stderr).toContain('begins or ends with x');
    expect((await run(['answer', '21ab', 'y'])).stderr).toContain('That is no question but a approval');
    expect((await run(['approve', '--session', '--always'])).code).toBe(2);
    expect((await run(['approve', '--input', '[]'])).code).toBe(2);
    waiting(anAction({ kind: 'limit' }));
    expect((await run(['approve', '--always'])).code).toBe(2);
    waiting();
    expect((await run(['deny'])).stderr).toBe('Error: Nothing waits for you.\n');
    expect(answers).toEqual([]);
  });

  test('that somebody else has settled says so', async () => {
    server.answers.answerAction = () => {
      throw new Refusal('action_settled', 'That is no longer open: it was answered (once).');
    };
    expect((await run(['approve'])).stderr).toBe('Error: That is no longer open: it was answered (once).\n');
  });

  test('standing approvals are listed and taken back', async () => {
    const grants = [{ id: 'g-1234abcd', agentId: 'a', tool: 'bash', sessionId: null, createdAt: AT }];
    server.answers.listGrants = () => ({ grants });
    server.answers.revokeGrant = () => undefined;
    expect(await output('grants')).toMatch(/a +bash +everywhere .* g-1234abcd/);
    expect(await output('grants', '--revoke', 'abcd')).toBe('a has to ask again before it uses bash.\n');
    expect(server.asked('revokeGrant')[0]?.params).toEqual({ grantId: 'g-1234abcd' });
    expect((await run(['grants', '--revoke', 'nope'])).code).toBe(1);
  });
});

describe('tree', () => {
  const node = (id: string, known: Partial<TurnNode>, turn: Parameters<typeof aTurn>[0] = {}): TurnNode => ({
    turn: aTurn({ id, state: 'complete', startedAt: AT, endedAt: '2026-11-15T12:00:03.400Z', ...turn }),
    sessionTitle: 'trip',
    via: null,
    mode: null,
    task: '',
    toolCalls: [],
    usage: null,
    children: [],
    ...known,
  });
  const inner = node(
    't3',
    { via: 'tool', mode: 'sync', task: 'find\nflights', sessionTitle: 'flights' },
    { agentId: 'c', sessionId: 's2' },
  );
  const root = node('t1', {
    usage: { inputTokens: 12_000, outputTokens: 345, cost: 0.0421 },
    toolCalls: [{ id: 'c1', name: 'web_fetch', state: 'complete', durationMs: 12 }],
    children: [
      node('t2', { via: 'tag', mode: 'sync', task: 'plan it', children: [inner] }, { agentId: 'b' }),
      node('t4', { via: 'tag', mode: 'sync' }, { agentId: 'd', state: 'failed' }),
    ],
  });

  beforeEach(() => {
    server.answers.turnTree = () => ({ root, asked: 't3' });
    server.answers.listTurns = () => ({ turns: [aTurn({ id: 't9' })] });
  });

  test('is drawn with who asked whom, states, durations, tokens and cost', async () => {
    expect(await output('tree')).toBe(
      [
        '✓ a (complete, 3.4 s, 12.3k tokens, cost 0.04, in "trip")',
        '├─ ⚙ web_fetch ✓ 12 ms',
        '├─ ✓ b (complete, 3.4 s, tag sync) — plan it',
        '│  └─ ✓ c (complete, 3.4 s, tool sync, in "flights", asked for) — find flights',
        '└─ ✗ d (failed, 3.4 s, tag sync)',
        '',
      ].join('\n'),
    );
    expect(server.asked('turnTree')[0]?.params).toEqual({ turnId: 't9' });
    expect(JSON.parse(await output('tree', '--json')).asked).toBe('t3');
  });

  test('is found by a turn, too, and says when there is neither', async () => {
    server.answers.listSessions = () => ({ sessions: [], next: null, position: 0 });
    server.answers.getSession = () => {
      throw new Refusal('session_not_found', 'There is no such session.');
    };
    await output('tree', 't3');
    expect(server.asked('turnTree')[0]?.params).toEqual({ turnId: 't3' });
    server.answers.turnTree = () => {
      throw new Refusal('turn_not_found', 'There is no such turn.');
    };
    expect((await run(['tree', 'nope'])).stderr).toContain('There is no session called "nope", nor a turn');
  });
});

describe('usage', () => {
  test('adds up what was used, since when one wants', async () => {
    server.answers.usage = () => ({
      total: { turns: 3, inputTokens: 1500, outputTokens: 20, cost: 0.5 },
      rows: [{ key: 'a', turns: 3, inputTokens: 1500, outputTokens: 20, cachedInputTokens: 1000, cost: 0.5 }],
      from: null,
      to: null,
    });
    expect(await output('usage')).toBe(
      [
        'Agent  Turns  Input  Cached  Output  Cost',
        'a      3      1.5k   1k      20      0.50',
        'total  3      1.5k   -       20      0.50',
        '',
      ].join('\n'),
    );
    await output('usage', '--by', 'day', '--since', '2026-11-01', '-a', 'a', '-s', 'default');
    const from = '2026-11-01T00:00:00.000Z';
    expect(server.asked('usage').at(-1)?.query).toEqual({ by: 'day', from, agent: 'a', session: 's' });
    const before = Date.now();
    await output('usage', '--since', '7d', '--by', 'session');
    const since = Date.parse(server.asked('usage').at(-1)?.query.from as string);
    expect(Math.abs(since - (before - 7 * 86_400_000))).toBeLessThan(60_000);
    expect((await run(['usage', '--since', 'yesterday'])).code).toBe(2);
  });
});

describe('mcp', () => {
  const files: McpServerInfo = {
    name: 'files',
    transport: 'stdio',
    target: 'npx files /tmp',
    state: 'ready',
    error: null,
    restarts: 0,
    tools: [
      { name: 'files__read', state: 'accepted', description: 'Read.', before: null },
      { name: 'files__write', state: 'changed', description: 'Write.\nAnd more.', before: 'Write only.' },
      { name: 'files__run', state: 'new', description: 'Run.', before: null },
    ],
    definitionsHash: 'h1',
    checkedAt: AT,
  };

  beforeEach(() => {
    server.answers.listMcpServers = () => ({ servers: [files] });
    server.answers.restartMcpServer = () => ({ ...files, state: 'failed', error: 'It exited with 1.' });
    server.answers.acceptMcpDefinitions = () => files;
  });

  test('servers are listed with what changed, and started anew', async () => {
    const shown = await output('mcp');
    expect(shown).toMatch(/files +ready +1 of 3 +npx files \/tmp/);
    expect(shown).toContain('its tools changed; look with: parley mcp accept files');
    expect(await output('mcp', 'restart', 'files')).toContain('files: It exited with 1.');
    expect(JSON.parse(await output('mcp', '--json'))[0].name).toBe('files');
  });

  test('changes are shown before they are accepted, and exactly these are', async () => {
    const asked = await run(['mcp', 'accept', 'files']);
    expect(asked).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
    expect(asked.stdout).toBe(
      'files__write changed\n  - Write only.\n  + Write.\n  + And more.\nfiles__run new\n  + Run.\n',
    );
    expect(server.asked('acceptMcpDefinitions')).toEqual([]);
    expect(await output('mcp', 'accept', 'files', '--yes')).toContain('Accepted: 3 tools of files.');
    expect(server.asked('acceptMcpDefinitions')[0]?.body).toEqual({ hash: 'h1' });
    expect((await run(['mcp', 'accept', 'nope', '-y'])).stderr).toContain('Configured: files.');
  });

  test('nothing is asked when nothing changed', async () => {
    server.answers.listMcpServers = () => ({ servers: [{ ...files, tools: files.tools.slice(0, 1) }] });
    expect(await output('mcp', 'accept', 'files')).toBe('The tools of files are as you accepted them.\n');
  });
});

describe('sessions', () => {
  test('of tools and those that wait are told apart', async () => {
    const sessions = [
      aSession({ id: 's1', title: 'Building', type: 'tool-execution', status: 'working', parentSessionId: 's' }),
      aSession({ id: 's2', title: 'trip', status: 'waiting', mode: 'read-only' }),
    ];
    server.answers.listSessions = () => ({ sessions, next: null, position: 0 });
    const { stdout } = await run(['sessions'], { env: { FORCE_COLOR: '1' } });
    expect(stdout).toContain('⚙ Building');
    expect(stdout).toContain('\u001b[33mwaiting');
    await output('sessions', 'list', '--type', 'tool-execution');
    expect(server.asked('listSessions').at(-1)?.query).toMatchObject({ type: 'tool-execution' });
    server.answers.listSessions = () => ({ sessions: [sessions[1]], next: null, position: 0 });
    expect(await output('sessions', 'show', 'trip')).toContain('waiting · read-only');
    await output('sessions', 'mode', 'trip', 'full');
    expect(server.asked('patchSession')[0]?.body).toEqual({ mode: 'full' });
    expect((await run(['sessions', 'mode', 'trip', 'half'])).code).toBe(2);
  });
});

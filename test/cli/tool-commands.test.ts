import { beforeEach, describe, expect, test } from 'vitest';
import type { McpServerInfo, ToolInfo } from '../../contract/tools.ts';
import { AT } from '../harness/shapes.ts';
import { FakeServer, Refusal } from './fake-server.ts';

let server: FakeServer;

beforeEach(async () => {
  server = await FakeServer.start();
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
    expect(await server.output('tools')).toMatch(
      /^Tool +Risk +From +About\nreading_list_add +write +built-in reading-list +Does/,
    );
    expect(JSON.parse(await server.output('tools', '--json', '-a', 'wisp/concierge'))).toEqual(tools);
    expect(server.asked('listTools').at(-1)?.query).toEqual({ agent: 'wisp/concierge' });
    expect(await server.output('skills')).toBe(
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
    const shown = await server.output('tool', ...words);
    expect(server.asked('runTool')[0]?.body).toEqual({
      plugin: 'reading-list',
      operation: 'add',
      input: { url: 'https://x', year: '2026', tags: ['a', 'b'], n: 3 },
    });
    expect(shown).toMatch(/^got .*␛\[2J\n$/);
  });

  test('take options of ours as their own after the plugin', async () => {
    await server.output('tool', 'reading-list', 'add', '--version', '1', '--home', 'sweet', '--json', '{"a":1}');
    expect(server.asked('runTool')[0]?.body.input).toEqual({ a: 1, version: 1, home: 'sweet' });
  });

  test('are used by their own name, and with input from a pipe', async () => {
    await server.parley(['tool', 'reading_list_add', '-', '--year', '1999'], { input: '{"url":"u"}' });
    await server.parley(['tool', 'reading_list_add', '--url', '-'], { input: 'long text\n' });
    expect(server.asked('runTool').map(({ body }) => body)).toEqual([
      { tool: 'reading_list_add', input: { url: 'u', year: '1999' } },
      { tool: 'reading_list_add', input: { url: 'long text\n' } },
    ]);
  });

  test('that fail make the command fail, with what they said', async () => {
    server.answers.runTool = () => ({ tool: 't', output: 'no such link', isError: true, callId: null });
    expect(await server.parley(['tool', 'reading-list', 'add'])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'no such link\n',
    });
    server.answers.runTool = () => {
      throw new Refusal('tool_not_allowed', 'wisp/concierge may not use it.');
    };
    expect((await server.parley(['tool', 'reading-list', 'add'])).stderr).toBe(
      'Error: wisp/concierge may not use it.\n',
    );
  });

  test('explain themselves: a plugin its operations, an operation what it takes', async () => {
    expect(await server.output('tool', 'reading-list', '--help')).toContain(
      '  mark-read             Does reading_list_mark_read.',
    );
    expect(await server.output('tool', 'reading-list')).toContain('Usage: parley tool reading-list <operation>');
    const takes = await server.output('tool', 'reading-list', 'add', '--help');
    expect(takes).toContain('--url               string, required: Where it is');
    expect((await server.parley(['tool', 'nothing'])).stderr).toContain('Unknown plugin nothing.');
    expect((await server.parley(['tool', 'reading-list', 'burn', '--help'])).stderr).toContain(
      'It has: add, mark-read',
    );
    expect(server.asked('runTool')).toEqual([]);
  });

  test("speak with the turn's token where there is one, whatever the command, and never with the person's", async () => {
    const env = { PARLEY_TURN_TOKEN: 'of-the-turn' };
    await server.parley(['tool', 'reading-list', 'add', '--url', 'x'], { env });
    await server.parley(['approve'], { env });
    // The server proves what it is before it is sent a token.
    const asked = server.requests.filter(({ route }) => route !== 'proveServer');
    expect(new Set(asked.map(({ authorization }) => authorization))).toEqual(new Set(['Bearer of-the-turn']));
    const { code, stderr } = await server.parley(['tools'], { env: { ...env, PARLEY_URL: '' } });
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('no server is running') });
  });
});

describe('explain', () => {
  const reasonText = { key: 'test', values: {} };
  const rule = { list: 'toolDenylist' as const, pattern: 'ba*', subject: 'bash', of: 'a' };
  const no = { allowed: false, rule, reason: '"ba*" in its toolDenylist refuses it', reasonText };
  const yes = {
    allowed: true,
    rule: { ...rule, list: 'none' as const, pattern: null },
    reason: 'nothing restricts it',
    reasonText,
  };

  test('names the rule that decided and what others could do for the agent', async () => {
    server.answers.explain = () => ({
      agentId: 'a',
      fullAuthority: false,
      tools: [
        { tool: 'bash', decision: no, approval: 'ask', approvalRule: 'by risk', approvalRuleText: reasonText },
        { tool: 'todo_add', decision: yes, approval: 'allow', approvalRule: 'by risk', approvalRuleText: reasonText },
      ],
      skills: [{ plugin: 'todo', decision: yes }],
      agents: [{ agentId: 'b', decision: yes }],
      reach: { agents: [{ agentId: 'c', via: ['b'] }], tools: [{ tool: 'bash', through: ['c'] }] },
    });
    const shown = await server.output('explain', 'a');
    expect(shown).toMatch(/^a can use 1 of 2 tools\.\n/);
    expect(shown).toMatch(/bash +no +- +"ba\*" in its toolDenylist refuses it/);
    expect(shown).toMatch(/todo_add +yes +allow +nothing restricts it/);
    expect(shown).toContain('reaches b → c');
    expect(shown).toContain('can get bash through c');
    expect(shown).not.toContain('full authority');
    const one = await server.output('explain', 'a', 'bash');
    expect(one).toContain(`a can't use bash: "ba*" in its toolDenylist refuses it`);
    expect(one).toContain('rule: toolDenylist "ba*" of a, matched against bash');
    expect(one).toContain('It can get it through other agents, though: c.');
    expect(server.asked('explain').at(-1)?.query).toEqual({ agent: 'a', tool: 'bash' });
  });

  test('says in clear words that an agent with bash may do anything', async () => {
    server.answers.explain = () => ({
      agentId: 'a',
      fullAuthority: true,
      tools: [{ tool: 'bash', decision: yes, approval: 'ask', approvalRule: 'by risk', approvalRuleText: reasonText }],
      skills: [],
      agents: [],
      reach: { agents: [], tools: [] },
    });
    expect(await server.output('explain', 'a')).toContain(
      'It has full authority: with bash, a can run any command on this machine as you.',
    );
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
    const shown = await server.output('mcp');
    expect(shown).toMatch(/files +ready +1 of 3 +npx files \/tmp/);
    expect(shown).toContain('its tools changed. Review them with: parley mcp accept files');
    expect(await server.output('mcp', 'restart', 'files')).toContain('files: It exited with 1.');
    expect(JSON.parse(await server.output('mcp', '--json'))[0].name).toBe('files');
  });

  test('changes are shown before they are accepted, and exactly these are', async () => {
    const asked = await server.parley(['mcp', 'accept', 'files']);
    expect(asked).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
    expect(asked.stdout).toBe(
      'files__write changed\n  - Write only.\n  + Write.\n  + And more.\nfiles__run new\n  + Run.\n',
    );
    expect(server.asked('acceptMcpDefinitions')).toEqual([]);
    expect(await server.output('mcp', 'accept', 'files', '--yes')).toContain('Accepted 3 tools of files.');
    expect(server.asked('acceptMcpDefinitions')[0]?.body).toEqual({ hash: 'h1' });
    expect((await server.parley(['mcp', 'accept', 'nope', '-y'])).stderr).toContain('Configured: files.');
  });

  test('nothing is asked when nothing changed', async () => {
    server.answers.listMcpServers = () => ({ servers: [{ ...files, tools: files.tools.slice(0, 1) }] });
    expect(await server.output('mcp', 'accept', 'files')).toBe(
      'The tools of files have not changed since you accepted them.\n',
    );
  });
});

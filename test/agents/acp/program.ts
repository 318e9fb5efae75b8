// An ACP agent on the official SDK that does what the message it answers tells it, one command per line. What it remembers
// of a session is a file in the folder that its first argument names; further arguments say what it lacks or wants.
import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AgentContext,
  agent,
  type CreateElicitationResponse,
  type McpServer,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type ReadTextFileResponse,
  RequestError,
  type RequestPermissionResponse,
  type SessionUpdate,
  type StopReason,
  type ToolKind,
} from '@agentclientprotocol/sdk';

const [folder = '', ...flags] = process.argv.slice(2);
const has = (flag: string) => flags.includes(flag);
mkdirSync(folder, { recursive: true });

interface Session {
  id: string;
  mode: string;
  model: string;
  servers: McpServer[];
  stop: AbortController;
  isPrompted: boolean;
  /** What it says once it has answered. */
  afterwards: string[];
}

const sessions = new Map<string, Session>();
let isSignedIn = !has('sign-in') && !has('sign-in-terminal');

const MODES = ['default', 'plan', 'research', 'yolo'];
const fileOf = (id: string) => path.join(folder, id);
const recall = (id: string) => (existsSync(fileOf(id)) ? readFileSync(fileOf(id), 'utf8').trim() : '');

function stateOf({ mode, model }: Session) {
  const select = (id: string, current: string, values: string[]) => ({
    ...{ id, name: id, category: id, type: 'select' as const, currentValue: current },
    options: values.map((value) => ({ value, name: value })),
  });
  const modes = { currentModeId: mode, availableModes: MODES.map((id) => ({ id, name: id })) };
  const configOptions = [select('model', model, ['small', 'large'])];
  if (has('mode-option')) return { configOptions: [...configOptions, select('mode', mode, MODES)] };
  return { modes, configOptions };
}

function open(id: string, servers: McpServer[]): Session {
  const mode = existsSync(`${fileOf(id)}.mode`) ? readFileSync(`${fileOf(id)}.mode`, 'utf8') : 'default';
  const session = { id, mode, model: 'small', servers, stop: new AbortController(), isPrompted: false, afterwards: [] };
  sessions.set(id, session);
  return session;
}

function reopen(id: string, servers: McpServer[]): Session {
  if (!existsSync(fileOf(id))) throw RequestError.sessionNotFound(id);
  return open(id, servers);
}

function setMode(session: Session, mode: string): void {
  if (!MODES.includes(mode)) throw RequestError.invalidParams({ mode });
  session.mode = mode;
  // A mode outlives the program, as with agents that keep it with the session.
  writeFileSync(`${fileOf(session.id)}.mode`, mode);
}

const authMethods = [
  ...(has('sign-in') ? [{ id: 'api-key', name: 'API key', description: 'Uses a key' }] : []),
  ...(has('sign-in-terminal') ? [{ id: 'login', name: 'Log in', type: 'terminal' as const, args: ['login'] }] : []),
];

const { session: on } = methods.agent;
const app = agent({ name: 'scripted' })
  .onRequest(methods.agent.initialize, () => {
    if (has('no-greeting')) return new Promise<never>(() => {});
    return {
      protocolVersion: has('old') ? 0 : PROTOCOL_VERSION,
      agentInfo: { name: 'scripted', version: '1' },
      authMethods,
      ...(has('steers') && { _meta: { steering: { supported: true } } }),
      agentCapabilities: {
        loadSession: !has('no-load'),
        promptCapabilities: { image: true },
        mcpCapabilities: { http: !has('stdio-tools') },
        sessionCapabilities: has('resume') ? { resume: {}, close: {} } : {},
      },
    };
  })
  .onRequest(methods.agent.authenticate, ({ params }) => {
    if (params.methodId !== 'api-key') throw RequestError.invalidParams(params);
    isSignedIn = true;
    return {};
  })
  .onRequest(on.new, ({ params }) => {
    if (!isSignedIn) throw RequestError.authRequired();
    const session = open(randomUUID(), params.mcpServers);
    appendFileSync(fileOf(session.id), '');
    return { sessionId: session.id, ...stateOf(session) };
  })
  .onRequest(on.load, async ({ params, client }) => {
    if (has('begins-anew') && !existsSync(fileOf(params.sessionId)))
      return stateOf(open(params.sessionId, params.mcpServers));
    const session = reopen(params.sessionId, params.mcpServers);
    for (const line of recall(session.id).split('\n')) await tell(client, session.id, words(`replayed ${line}`));
    return stateOf(session);
  })
  .onRequest(on.resume, ({ params }) => stateOf(reopen(params.sessionId, params.mcpServers ?? [])))
  .onRequest(on.close, ({ params }) => {
    sessions.delete(params.sessionId);
    return {};
  })
  .onRequest(on.setMode, ({ params }) => {
    setMode(sessions.get(params.sessionId)!, params.modeId);
    return {};
  })
  .onRequest(on.setConfigOption, ({ params }) => {
    const session = sessions.get(params.sessionId)!;
    if (params.configId === 'mode') setMode(session, String(params.value));
    else session.model = String(params.value);
    return { configOptions: stateOf(session).configOptions };
  })
  .onRequest(on.prompt, async ({ params, client }) => {
    const session = sessions.get(params.sessionId);
    if (!session) throw RequestError.sessionNotFound(params.sessionId);
    session.stop = new AbortController();
    const texts = params.prompt.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`));
    const isIntroduced = params.prompt.filter(({ type }) => type === 'text').length > 1;
    const heard = isIntroduced ? ['[instructions]', ...texts.slice(1)] : texts;
    appendFileSync(fileOf(session.id), `${heard.join('\n')}\n`);
    session.isPrompted = true;
    const stopReason = await perform({ texts, session, client, stop: session.stop.signal });
    session.isPrompted = false;
    for (const text of session.afterwards.splice(0)) setTimeout(() => print(session.id, words(text)), 50);
    return { stopReason, ...USAGE };
  })
  .onRequest('_session/steering', { parse: (params) => params as Steering }, ({ params }) => {
    const session = sessions.get(params.sessionId)!;
    if (!session.isPrompted) return { outcome: params._meta.steering.idleBehavior };
    appendFileSync(fileOf(session.id), `steered ${params.prompt.map((block) => block.text).join('\n')}\n`);
    return { outcome: 'injected' };
  })
  .onNotification(on.cancel, ({ params }) => {
    if (!has('deaf')) sessions.get(params.sessionId)?.stop.abort();
  });

/** An extension of the protocol. */
interface Steering {
  sessionId: string;
  prompt: { text: string }[];
  _meta: { steering: { idleBehavior: string } };
}

/** Not in the stable protocol yet. */
const USAGE = { usage: { inputTokens: 11, outputTokens: 5, totalTokens: 16 } };

interface Turn {
  /** The blocks of the prompt. */
  texts: string[];
  session: Session;
  client: AgentContext;
  stop: AbortSignal;
}

async function perform(turn: Turn): Promise<StopReason> {
  const script = turn.texts.filter((text) => text !== '[image]').at(-1)!;
  const asked = script.split(/\[The message to answer, from [^\n]*:\]\n\n/).at(-1)!;
  for (const line of asked.split('\n')) {
    const [, command = '', rest = ''] = /^(\S*) ?(.*)$/.exec(line) ?? [];
    const stopped = await COMMANDS[command]?.(turn, rest);
    if (turn.stop.aborted) return 'cancelled';
    if (stopped === 'refusal' || stopped === 'cancelled') return stopped;
  }
  return 'end_turn';
}

function words(text: string): SessionUpdate {
  return { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } };
}

function tell(client: AgentContext, sessionId: string, update: SessionUpdate): Promise<void> {
  return client.notify(methods.client.session.update, { sessionId, update });
}

/** Past the SDK, which has ended with the answer. */
function print(sessionId: string, update: SessionUpdate): void {
  const message = { jsonrpc: '2.0', method: methods.client.session.update, params: { sessionId, update } };
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

const COMMANDS: Record<string, (turn: Turn, rest: string) => unknown> = {
  say: ({ client, session }, text) => tell(client, session.id, words(text.replaceAll('\\n', '\n'))),
  think: ({ client, session }, text) =>
    tell(client, session.id, { sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text } }),
  /** Everything the session was sent so far. */
  recall: ({ client, session }) => tell(client, session.id, words(recall(session.id))),
  /** All that it was sent with this prompt, the instructions included. */
  quote: ({ client, session, texts }) => tell(client, session.id, words(texts.join('\n'))),
  mode: ({ client, session }) => tell(client, session.id, words(`in ${session.mode}. `)),
  model: ({ client, session }) => tell(client, session.id, words(session.model)),
  env: ({ client, session }, name) => tell(client, session.id, words(process.env[name] ?? 'unset')),
  pid: ({ client, session }) => tell(client, session.id, words(String(process.pid))),
  plan: ({ client, session }, text) => {
    const entries = text
      .split(', ')
      .map((content) => ({ content, priority: 'low' as const, status: 'pending' as const }));
    return tell(client, session.id, { sessionUpdate: 'plan', entries });
  },
  cost: ({ client, session }, amount) =>
    tell(client, session.id, {
      ...{ sessionUpdate: 'usage_update', used: 1, size: 10 },
      cost: { amount: Number(amount), currency: 'USD' },
    }),
  tool: async ({ client, session }, rest) => {
    const { id, kind, input, output } = toolIn(rest);
    const call = { toolCallId: id, title: id, name: id.split('-')[0]!, kind };
    await tell(client, session.id, { sessionUpdate: 'tool_call', ...call, status: 'pending', rawInput: {} });
    await tell(client, session.id, { sessionUpdate: 'tool_call', ...call, status: 'pending', rawInput: input });
    if (output === undefined) return;
    await tell(client, session.id, {
      ...{ sessionUpdate: 'tool_call_update', toolCallId: id },
      status: output.startsWith('Error') ? 'failed' : 'completed',
      content: [{ type: 'content', content: { type: 'text', text: output } }],
    });
  },
  /** What a terminal of the program's own prints, beside the fields of the protocol. */
  terminal: async ({ client, session }, rest) => {
    const { id, input, output } = toolIn(rest);
    const content = [{ type: 'terminal' as const, terminalId: id }];
    const call = { toolCallId: id, title: 'ls', kind: 'execute' as const, rawInput: input, content };
    await tell(client, session.id, { sessionUpdate: 'tool_call', ...call, status: 'in_progress' });
    const update = { sessionUpdate: 'tool_call_update' as const, toolCallId: id };
    await tell(client, session.id, { ...update, _meta: { terminal_output_delta: { data: output, terminal_id: id } } });
    await tell(client, session.id, { ...update, status: 'completed', _meta: { terminal_exit: { exit_code: 0 } } });
  },
  /** Asks for permission without having announced the call, as some programs do. */
  permit: async ({ client, session }, rest) => {
    const { id, kind, input } = toolIn(rest);
    const content =
      'newText' in input ? [{ type: 'diff' as const, path: path.resolve('a.txt'), oldText: 'one\n', ...input }] : [];
    const { outcome } = await client.request<RequestPermissionResponse>(methods.client.session.requestPermission, {
      sessionId: session.id,
      toolCall: {
        ...{ toolCallId: id, title: `Use ${id}`, kind, rawInput: input, content },
        ...(!id.startsWith('unnamed') && { name: id.split('-')[0]! }),
      },
      options: [
        { optionId: 'always', name: 'Always', kind: 'allow_always' },
        { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
        { optionId: 'no', name: 'No', kind: 'reject_once' },
      ],
    });
    const chosen = outcome.outcome === 'selected' ? outcome.optionId : outcome.outcome;
    appendFileSync(path.join(folder, 'permissions'), `${id} ${chosen}\n`);
    await tell(client, session.id, words(`${id}: ${chosen}. `));
  },
  /** Asks the person to fill in a form: its message, then a schema. Nulls stand for what is left out. */
  elicit: async ({ client, session }, rest) => {
    const [message = '', schema = '{}'] = rest.split(' => ');
    const requestedSchema = { title: null, required: null, ...JSON.parse(schema) };
    const params = { sessionId: session.id, mode: 'form' as const, message, requestedSchema };
    const answer = await client.request<CreateElicitationResponse>(methods.client.elicitation.create, params);
    appendFileSync(path.join(folder, 'answers'), `${JSON.stringify(answer)}\n`);
    await tell(client, session.id, words(JSON.stringify(answer)));
  },
  read: ({ client, session }, place) =>
    attempt({ client, session }, async () => {
      const params = { sessionId: session.id, path: path.resolve(place) };
      return (await client.request<ReadTextFileResponse>(methods.client.fs.readTextFile, params)).content;
    }),
  write: ({ client, session }, rest) =>
    attempt({ client, session }, async () => {
      const [place = '', ...content] = rest.split(' ');
      const params = { sessionId: session.id, path: path.resolve(place), content: content.join(' ') };
      await client.request(methods.client.fs.writeTextFile, params);
      return 'written';
    }),
  run: ({ client, session }, command) =>
    attempt({ client, session }, async () => {
      const params = { sessionId: session.id, command: 'sh', args: ['-c', command], outputByteLimit: 100 };
      await using terminal = await client.createTerminal(params);
      const { exitCode } = await terminal.waitForExit();
      const { output, truncated } = await terminal.currentOutput();
      return `${exitCode} ${output}${truncated ? ' (cut)' : ''}`;
    }),
  /** Runs a command with a variable of the program's choice, `NAME=VALUE command`. */
  runwith: ({ client, session }, rest) =>
    attempt({ client, session }, async () => {
      const [variable = '', ...command] = rest.split(' ');
      const [name = '', value = ''] = variable.split('=');
      const params = { sessionId: session.id, command: 'sh', args: ['-c', command.join(' ')], env: [{ name, value }] };
      await using terminal = await client.createTerminal(params);
      return `${(await terminal.waitForExit()).exitCode}`;
    }),
  /** Runs a program with its arguments, `{"command":…,"args":[…],"cwd":…}`, without a shell. */
  runargs: ({ client, session }, rest) =>
    attempt({ client, session }, async () => {
      const params = JSON.parse(rest) as { command: string; args: string[]; cwd?: string };
      await using terminal = await client.createTerminal({ sessionId: session.id, ...params });
      return `${(await terminal.waitForExit()).exitCode}`;
    }),
  /** Leaves a terminal open. */
  leave: ({ client, session }, command) =>
    attempt({ client, session }, async () => {
      await client.createTerminal({ sessionId: session.id, command: 'sh', args: ['-c', command] });
      return 'left';
    }),
  /** The tool and its arguments, over the MCP server that the session was given. */
  call: ({ client, session }, rest) =>
    attempt({ client, session }, async () => {
      const [name = '', ...input] = rest.split(' ');
      // Large, and needed by few tests.
      const { ParleyTools } = await import('../../conformance/scripted/parley-tools.ts');
      const tools = await ParleyTools.ofAcp(session.servers);
      return tools.call(name, input.join(' ')).finally(() => tools.close());
    }),
  /** Many updates and the answer in one piece. */
  burst: ({ session }, count) => {
    const lines = Array.from({ length: Number(count) }, (_, at) => {
      const params = { sessionId: session.id, update: words(`${at} `) };
      return `${JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params })}\n`;
    });
    process.stdout.write(lines.join(''));
  },
  /** Words after the answer. */
  late: ({ session }, text) => void session.afterwards.push(text),
  /** Words of a numbered message, now and once more after the answer: `ID MS words`. */
  numbered: async ({ client, session }, rest) => {
    const [messageId = '', ms = '', ...text] = rest.split(' ');
    const update = { ...words(text.join(' ')), messageId } as SessionUpdate;
    await tell(client, session.id, update);
    setTimeout(() => print(session.id, update), Number(ms));
  },
  image: ({ client, session }, data) =>
    tell(client, session.id, {
      ...{ sessionUpdate: 'agent_message_chunk' },
      content: { type: 'image', mimeType: 'image/png', data },
    }),
  /** Runs a command itself, and says what it prints. */
  exec: ({ client, session }, command) =>
    tell(client, session.id, words(execFileSync('/bin/sh', ['-c', command], { encoding: 'utf8' }))),
  hang: ({ stop }) => Promise.race([new Promise((resolve) => stop.addEventListener('abort', resolve)), forever()]),
  /** Ignores `session/cancel` and SIGTERM. */
  deaf: () => {
    process.on('SIGTERM', () => {});
    return forever();
  },
  /** Leaves a process in a session of its own behind. */
  fork: () => void spawn('sleep', ['601'], { detached: true, stdio: 'ignore' }).unref(),
  wait: (_, ms) => sleep(Number(ms)),
  refuse: () => 'refusal',
  /** Stops, without having been told to. */
  stop: () => 'cancelled',
  fail: (_, reason) => {
    throw RequestError.internalError({ details: reason });
  },
  die: () => process.exit(3),
  garbage: () => process.stdout.write('this is no JSON\n{neither is this\n'),
  flood: () => {
    process.stdout.write(`{"x":"${'x'.repeat(9_000_000)}`);
    return forever();
  },
};

function forever(): Promise<never> {
  return new Promise(() => setInterval(() => {}, 1000));
}

async function attempt(turn: Pick<Turn, 'client' | 'session'>, work: () => Promise<string>): Promise<void> {
  const said = await work().catch((error: Error & { code?: number }) => `failed: ${error.message} (${error.code})`);
  await tell(turn.client, turn.session.id, words(`${said}. `));
}

/** `ID KIND {…} => OUTPUT`; a call without an output does not end. */
function toolIn(rest: string) {
  const [called = '', output] = rest.split(' => ');
  const [id = '', kind = 'other', ...input] = called.split(' ');
  const parsed = JSON.parse(input.join(' ') || '{}') as Record<string, unknown> & { newText: string };
  return { id, kind: kind as ToolKind, input: parsed, output };
}

app.connect(
  ndJsonStream(
    Writable.toWeb(process.stdout) as WritableStream<Uint8Array>,
    Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>,
  ),
);
process.stdin.on('close', () => process.exit(0));

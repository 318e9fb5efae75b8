import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { type ChatCompletionRequest, LLMock } from '@copilotkit/aimock';

type Message = ChatCompletionRequest['messages'][number];

/** A model that does what the last message tells it, in the APIs of Anthropic and OpenAI. */
export async function startModel(): Promise<LLMock> {
  const model = new LLMock({ port: 0, host: '127.0.0.1', latency: 10, chunkSize: 8 });
  model.on({ predicate: isAfterTool }, (request) => ({ content: `Tool said: ${textOf(request.messages.at(-1))}` }));
  model.on({ predicate: (request) => /\bRUN (.+)/.test(asked(request)) }, (request) =>
    callOf(request, SHELLS, { command: /\bRUN (.+)/.exec(asked(request))![1]! }),
  );
  model.on({ predicate: (request) => /\bDO (.+)/.test(asked(request)) }, (request) =>
    callOf(request, SHELLS, { command: /\bDO (.+)/.exec(asked(request))![1]! }, {}),
  );
  model.on({ predicate: (request) => /\bWRITE (\S+)/.test(asked(request)) }, (request) =>
    writeOf(request, /\bWRITE (\S+)/.exec(asked(request))![1]!),
  );
  model.on({ predicate: (request) => /\bPARLEY (.+)/.test(asked(request)) }, (request) =>
    callOf(request, /todo_add$/, { title: /\bPARLEY (.+)/.exec(asked(request))![1]! }),
  );
  model.on({ predicate: (request) => /\bSEARCH (.+)/.test(asked(request)) }, (request) =>
    callOf(request, /knowledge_search$/, { query: /\bSEARCH (.+)/.exec(asked(request))![1]! }),
  );
  model.on({ predicate: (request) => /\bPLAN (.+)/.test(asked(request)) }, (request) =>
    planOf(request, /\bPLAN (.+)/.exec(asked(request))![1]!.split(', ')),
  );
  model.on({ predicate: (request) => /\bASK (.+)/.test(asked(request)) }, (request) =>
    questionOf(request, /\bASK (.+)/.exec(asked(request))![1]!),
  );
  model.on({ predicate: (request) => /^LONG/.test(asked(request)) }, { content: 'word '.repeat(4000) });
  model.on({ predicate: (request) => /\[What was said meanwhile/.test(asked(request)) }, (request) => ({
    content: `Delegates said: ${asked(request)}`,
  }));
  model.on({ predicate: (request) => /\bDELEGATE (.+)/.test(asked(request)) }, (request) => ({
    content: `I ask ada.\n\n<delegate to="ada">${/\bDELEGATE (.+)/.exec(asked(request))![1]}</delegate>`,
  }));
  model.on({ predicate: (request) => /\bRECALL\b/.test(asked(request)) }, (request) => ({
    content: `I remember: ${request.messages
      .filter(({ role }) => role === 'user')
      .map(wordsOf)
      .join(' | ')}`,
  }));
  model.on({ predicate: () => true }, { content: 'Hello from the model.' });
  await model.start();
  return model;
}

const CODEX_TOOLS = 'mcp__parley__';

const IN_NAMESPACE = new RegExp(`"name":"${CODEX_TOOLS}(\\w+)"`, 'g');

/** In front of the model: calls of an MCP tool have a namespace, which the library cannot say. */
export async function startCodexModel(): Promise<{ url: string; stop(): Promise<void> }> {
  const model = await startModel();
  const proxy = createServer(async (request, response) => {
    const { host: _, ...headers } = request.headers as Record<string, string>;
    const body = request.method === 'POST' ? Readable.toWeb(request) : undefined;
    const init = { method: request.method!, headers, ...(body && { body, duplex: 'half' }) } as RequestInit;
    const answer = await fetch(model.url + request.url, init);
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' });
    const spoken = answer.body?.pipeThrough(new TextDecoderStream()) ?? [];
    for await (const piece of spoken)
      response.write(piece.replaceAll(IN_NAMESPACE, '"name":"$1","namespace":"mcp__parley"'));
    response.end();
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  const { port } = proxy.address() as AddressInfo;
  const stop = async () => {
    proxy.closeAllConnections();
    proxy.close();
    await model.stop();
  };
  return { url: `http://127.0.0.1:${port}`, stop };
}

const SHELLS = /^(Bash|bash|exec_command|shell_command|shell|run_shell_command)$/;

function isAfterTool({ messages }: ChatCompletionRequest): boolean {
  return messages.findLastIndex(({ role }) => role === 'tool') > messages.findLastIndex(isAsked);
}

function isAsked(message: Message): boolean {
  return message.role === 'user' && wordsOf(message) !== '';
}

/** Without what was said before, which is shown to a program that has not seen it. */
function asked({ messages }: ChatCompletionRequest): string {
  return wordsOf(messages.findLast(isAsked))
    .split(/\[The message to answer, from [^\n]*:\]\n\n/)
    .at(-1)!;
}

/** Programs add text of their own, in tags, to what the person says. */
function wordsOf(message: Message | undefined): string {
  return textOf(message)
    .replace(/<([a-z_-]+)>[\s\S]*?<\/\1>/gi, '')
    .trim();
}

function textOf(message: Message | undefined): string {
  const content = message?.content ?? '';
  if (typeof content === 'string') return content;
  return content.map((part) => ('text' in part ? part.text : '')).join('\n');
}

type Input = Record<string, string>;

function callOf({ tools = [] }: ChatCompletionRequest, name: RegExp, input: Input, added: Input = MORE_ARGUMENTS) {
  const tool = tools.find(({ function: { name: offered } }) => name.test(offered))?.function;
  // Without tools a model can still say that it calls one. The tools of an MCP server that Codex offers are not listed.
  const [ofParley] = /^(?:todo|knowledge)_\w+/.exec(name.source) ?? [];
  const called = tool?.name ?? (ofParley ? CODEX_TOOLS + ofParley : 'Bash');
  const properties = propertiesOf(tool);
  const args = properties.includes('cmd') ? { cmd: input.command } : input;
  const more = Object.entries(added).filter(([name]) => properties.includes(name));
  return { toolCalls: [{ name: called, arguments: JSON.stringify({ ...args, ...Object.fromEntries(more) }) }] };
}

/** Where a tool knows them. The second one asks to run a command outside of the sandbox, which a person has to allow. */
const MORE_ARGUMENTS = { description: 'test', sandbox_permissions: 'require_escalated', justification: 'A test.' };

function toolNamed({ tools = [] }: ChatCompletionRequest, name: RegExp): string | undefined {
  return tools.find(({ function: { name: offered } }) => name.test(offered))?.function.name;
}

/** Some have a tool for a whole plan. Claude Code has one for each task, which its model has to look for at first. */
function planOf(request: ChatCompletionRequest, tasks: readonly string[]) {
  const name = toolNamed(request, /^(TodoWrite|todowrite|write_todos)$/) ?? 'TaskCreate';
  const inputs: object[] =
    name === 'TaskCreate'
      ? tasks.map((subject) => ({ subject, description: subject }))
      : [{ todos: tasks.map((text) => ({ ...todo(name, text), status: 'pending' })) }];
  return { toolCalls: inputs.map((input) => ({ name, arguments: JSON.stringify(input) })) };
}

function todo(tool: string, text: string): object {
  if (tool === 'write_todos') return { description: text };
  return tool === 'TodoWrite' ? { content: text, activeForm: text } : { content: text, priority: 'high' };
}

function questionOf(request: ChatCompletionRequest, question: string) {
  const name = toolNamed(request, /^(AskUserQuestion|request_user_input|question)$/);
  if (!name) return { content: 'There is no tool for a question.' };
  const options = ['Red', 'Blue'].map((label) => ({ label, description: label }));
  const questions = [{ id: 'colour', header: 'Colour', question, options, multiSelect: false }];
  return { toolCalls: [{ name, arguments: JSON.stringify({ questions }) }] };
}

const WRITERS = /^(Write|write|write_file)$/;
/** What they call the file. */
const PLACES = ['file_path', 'filePath', 'path'];

function propertiesOf(tool: { parameters?: object } | undefined): string[] {
  return Object.keys((tool?.parameters as { properties?: object } | undefined)?.properties ?? {});
}

function writeOf(request: ChatCompletionRequest, file: string) {
  const tool = request.tools?.find(({ function: { name } }) => WRITERS.test(name))?.function;
  if (!tool) return callOf(request, SHELLS, { command: `echo hello file > ${file}` });
  const field = PLACES.find((name) => propertiesOf(tool).includes(name)) ?? 'file_path';
  const args = { content: 'hello file', [field]: file };
  return { toolCalls: [{ name: tool.name, arguments: JSON.stringify(args) }] };
}

// A program that speaks as Claude Code, Codex, Pi or an ACP agent do, and costs next to nothing itself. `{"bare": PROMPT}` as
// input makes it say exactly the same without the rest of its protocol.
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { tokensFor } from './words.mjs';

const wire = process.argv[2];
const id = argument('--session-id') ?? argument('--resume') ?? randomUUID();

function argument(name) {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : process.argv[at + 1];
}

function put(record) {
  process.stdout.write(`${JSON.stringify(record)}\n`);
}

const claude = {
  common: { session_id: id, parent_tool_use_id: null },
  answer({ type, request_id, message, uuid }) {
    if (type === 'control_request')
      put({ type: 'control_response', response: { subtype: 'success', request_id, response: {} } });
    if (type !== 'user') return null;
    put({ type: 'user', message, uuid, isReplay: true });
    return message.content[0].text;
  },
  begin() {
    put({ type: 'system', subtype: 'init', model: 'scripted', ...this.common });
    this.event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } });
  },
  piece(text) {
    this.event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } });
  },
  end(text) {
    put({ type: 'assistant', message: { id: randomUUID(), content: [{ type: 'text', text }] }, ...this.common });
    const usage = { input_tokens: 10, output_tokens: 7 };
    put({
      type: 'result',
      subtype: 'success',
      is_error: false,
      stop_reason: 'end_turn',
      usage,
      result: '',
      ...this.common,
    });
  },
  event(event) {
    put({ type: 'stream_event', event, ...this.common });
  },
};

const codex = {
  turn: '',
  item: '',
  answer({ id: request, method, params }) {
    if (request === undefined || method === undefined) return null;
    if (method === 'turn/start') this.turn = randomUUID();
    if (method === 'thread/start' || method === 'thread/resume') put({ id: request, result: { thread: { id } } });
    else put({ id: request, result: method === 'turn/start' ? { turn: { id: this.turn } } : {} });
    return method === 'turn/start' ? params.input[0].text : null;
  },
  begin() {
    this.item = randomUUID();
    this.note('turn/started', { turn: { id: this.turn } });
    this.note('item/started', { item: { type: 'agentMessage', id: this.item, text: '' } });
  },
  piece(delta) {
    this.note('item/agentMessage/delta', { itemId: this.item, delta });
  },
  end(text) {
    this.note('item/completed', { item: { type: 'agentMessage', id: this.item, text } });
    this.note('turn/completed', { turn: { id: this.turn, status: 'completed', error: null } });
  },
  note(method, params) {
    put({ method, params: { threadId: id, turnId: this.turn, ...params } });
  },
};

const pi = {
  answer({ type, id: request, message }) {
    if (type === 'extension_ui_response') return null;
    put({ id: request, type: 'response', command: type, success: true });
    return type === 'prompt' ? message : null;
  },
  begin() {
    put({ type: 'agent_start' });
    this.event({ type: 'text_start', contentIndex: 0 });
  },
  piece(delta) {
    this.event({ type: 'text_delta', contentIndex: 0, delta });
  },
  end() {
    const usage = { input: 10, output: 7, cacheRead: 0, cost: { total: 0.01 } };
    put({ type: 'message_end', message: { role: 'assistant', usage, stopReason: 'stop' } });
    put({ type: 'agent_end', messages: [], willRetry: false });
    put({ type: 'agent_settled' });
  },
  event(assistantMessageEvent) {
    put({ type: 'message_update', assistantMessageEvent });
  },
};

const acp = {
  request: null,
  answer({ id: request, method, params }) {
    if (request === undefined || method === undefined) return null;
    if (method === 'session/prompt') {
      this.request = request;
      return params.prompt.map(({ text = '' }) => text).join('\n');
    }
    const greeting = {
      protocolVersion: 1,
      agentInfo: { name: 'bench', version: '1' },
      agentCapabilities: {},
      authMethods: [],
    };
    const result = method === 'initialize' ? greeting : method === 'session/new' ? { sessionId: id } : {};
    put({ jsonrpc: '2.0', id: request, result });
    return null;
  },
  begin() {},
  piece(text) {
    const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } };
    put({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: id, update } });
  },
  end() {
    put({ jsonrpc: '2.0', id: this.request, result: { stopReason: 'end_turn' } });
  },
};

const speaker = { claude, codex, pi, acp }[wire];

async function speak(prompt) {
  let said = '';
  speaker.begin();
  for await (const token of tokensFor(prompt)) {
    said += token;
    speaker.piece(token);
  }
  speaker.end(said);
}

createInterface({ input: process.stdin })
  .on('line', async (line) => {
    const record = JSON.parse(line);
    const prompt = record.bare ?? speaker.answer(record);
    if (prompt === null || prompt === undefined) return;
    await speak(prompt);
    if (record.bare !== undefined) put({ bare: 'end' });
  })
  .on('close', () => process.exit(0));

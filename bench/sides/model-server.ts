/**
 * A scripted model that costs next to nothing: OpenAI's chat completions, nothing else. The last `[[n=20 ms=50]]` in the
 * request says how many tokens to send and how far apart; `ms=0` sends them as fast as they are read. All answers of one
 * pace share one timer and one buffer per tick, and go to the socket as ready-made HTTP chunks. With `calls=2 of=todo` it
 * first asks for that many tool calls, and answers once a tool's result follows.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { stampedToken } from '../load/stamp.ts';
import { DELEGATE } from './agents.ts';
import type { Chore } from './model.ts';

const TICK_MS = 2;
const FLOOD_TOKENS = 64;
const DEFAULT_TOKENS = 10;

interface Answer {
  response: ServerResponse;
  socket: Socket;
  left: number;
}

const stats = { tokens: 0, requests: 0, lastBytes: 0 };

/** A wheel whose one turn is the distance between two tokens: an answer stays in the slot in which it began. */
class Pace {
  readonly #slots: Set<Answer>[];
  #at = 0;
  #startedAt = performance.now();

  constructor(ms: number) {
    this.#slots = Array.from({ length: Math.max(1, Math.round(ms / TICK_MS)) }, () => new Set());
    setInterval(() => this.#turn(), TICK_MS);
  }

  add(answer: Answer): void {
    this.#slots[this.#at % this.#slots.length]!.add(answer);
  }

  #turn(): void {
    const due = Math.floor((performance.now() - this.#startedAt) / TICK_MS);
    for (; this.#at < due; this.#at++) this.#speak(this.#slots[(this.#at + 1) % this.#slots.length]!);
  }

  #speak(answers: Set<Answer>): void {
    if (answers.size === 0) return;
    const bytes = chunk(1);
    for (const answer of answers) {
      if (answer.socket.destroyed || !say(answer, bytes, 1)) answers.delete(answer);
    }
  }
}

/** False once everything is said. */
function say(answer: Answer, bytes: Buffer, tokens: number): boolean {
  answer.socket.write(bytes);
  answer.left -= tokens;
  stats.tokens += tokens;
  if (answer.left > 0) return true;
  answer.response.end(LAST);
  return false;
}

function flood(answer: Answer): void {
  const bytes = chunk(FLOOD_TOKENS);
  while (answer.left > 0 && !answer.socket.destroyed) {
    if (!say(answer, answer.left >= FLOOD_TOKENS ? bytes : chunk(answer.left), Math.min(answer.left, FLOOD_TOKENS)))
      return;
    if (answer.socket.writableNeedDrain) return void answer.socket.once('drain', () => flood(answer));
  }
}

function frame(delta: object, finish: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'scripted' };
  return `data: ${JSON.stringify({ ...head, choices })}\n\n`;
}

const LAST = `${frame({}, 'stop')}data: [DONE]\n\n`;

function chunk(tokens: number): Buffer {
  const text = frame({ content: stampedToken() }).repeat(tokens);
  return Buffer.from(`${text.length.toString(16)}\r\n${text}\r\n`);
}

const LAST_CALL = `${frame({}, 'tool_calls')}data: [DONE]\n\n`;
const TASK = 'Please look into it and say what you found.';

/** The function and its arguments. What is asked of another agent holds no script, so it gets the shortest answer. */
const CHORES: Readonly<Record<Chore, { name: string; arguments: string }>> = {
  todo: { name: 'todo_add', arguments: JSON.stringify({ title: 'Look into it' }) },
  time: { name: 'system_time', arguments: '{}' },
  latest: messageTo('latest-or-create'),
  create: messageTo('create'),
};

function messageTo(session: string) {
  return { name: 'agents_message', arguments: JSON.stringify({ agentId: DELEGATE, content: TASK, session }) };
}

/** One frame per call, as providers send them. */
function askForCalls(response: ServerResponse, count: number, chore: Chore): void {
  const frames = Array.from({ length: count }, (_, index) => {
    const call = { index, id: `call_${stats.requests}_${index}`, type: 'function', function: CHORES[chore] };
    return frame({ tool_calls: [call] });
  });
  response.end(frames.join('') + LAST_CALL);
}

const paces = new Map<number, Pace>();

function paceOf(ms: number): Pace {
  const known = paces.get(ms) ?? new Pace(ms);
  paces.set(ms, known);
  return known;
}

const RESULT = '"role":"tool"';

/** The request is not parsed: with a long history that would be the largest cost of all. */
function answer(body: Buffer, response: ServerResponse): void {
  stats.requests += 1;
  stats.lastBytes = body.length;
  const from = body.lastIndexOf('[[');
  const words = from === -1 ? '' : body.toString('latin1', from, from + 60);
  const left = Number(/n=(\d+)/.exec(words)?.[1] ?? DEFAULT_TOKENS);
  const ms = Number(/ms=(\d+)/.exec(words)?.[1] ?? 0);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const [, calls, chore] = / calls=(\d+) of=(\w+)/.exec(words) ?? [];
  if (calls && body.indexOf(RESULT, from) === -1) return void askForCalls(response, Number(calls), chore as Chore);
  response.flushHeaders();
  const speaking: Answer = { response, socket: response.socket!, left };
  if (ms === 0) flood(speaking);
  else if (say(speaking, chunk(1), 1)) paceOf(ms).add(speaking);
}

const server = createServer((request, response) => {
  if (request.method === 'GET') return void response.end(JSON.stringify({ ...stats, at: performance.now() }));
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.on('end', () => answer(pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces), response));
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));

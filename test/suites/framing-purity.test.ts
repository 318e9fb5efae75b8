import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SendMessageInput } from '../../contract/turns.ts';
import { text } from '../harness/scripted-script.ts';
import { TestServer } from './test-server.ts';

const AGENTS = ['ada', 'bob', 'wisp/eve'];
const TURNS = 100;
const FRAMINGS = /You are joining a conversation|Other agents have spoken in this conversation/g;

let server: TestServer;

beforeAll(async () => {
  server = await TestServer.start({ config: { log: { level: 'warn' } } });
});
afterAll(() => server.close());

/** The same numbers every time, so that a failure can be looked at again. */
function* numbers(seed: number): Generator<number> {
  for (let state = seed; ; ) {
    state = (state * 1103515245 + 12345) & 0x7fffffff;
    yield state / 0x7fffffff;
  }
}

function choose(random: Generator<number>, index: number): SendMessageInput {
  const content = `Message ${index}`;
  const agent = AGENTS[Math.floor(random.next().value * AGENTS.length)]!;
  const kind = random.next().value;
  if (kind < 0.35) return { content, guest: agent };
  return kind < 0.5 ? { content, agent } : { content };
}

interface Expected {
  primary: string;
  /** Everyone who has spoken so far. */
  spoke: Set<string>;
}

function check(message: SendMessageInput, expected: Expected): void {
  const speaker = message.guest ?? message.agent ?? expected.primary;
  if (message.agent) expected.primary = message.agent;
  const isGuest = message.guest !== undefined && message.guest !== expected.primary;
  const [system, ...rest] = server.prompt(speaker);
  const framings = system!.content.match(FRAMINGS) ?? [];
  const others = [...expected.spoke].some((name) => name !== speaker);
  expect(framings, message.content).toEqual(
    isGuest ? ['You are joining a conversation'] : others ? ['Other agents have spoken in this conversation'] : [],
  );
  for (const { role, content } of rest) {
    expect(content.match(FRAMINGS)).toBeNull();
    expect(content.match(/<from agent="/g)?.length ?? 0).toBeLessThanOrEqual(1);
    if (role === 'user' || !content.startsWith('<from')) expect(content).not.toContain('<from');
    expect(content).not.toContain(`<from agent="${speaker}">`);
  }
  expected.spoke.add(speaker);
}

test(`after ${TURNS} interleaved turns, framing and tags were in requests, once each, and nowhere else`, async () => {
  server.provider.script(({ body, said }) => {
    const name = String(body.model).slice(9);
    // Now and then a model repeats what it has seen.
    return {
      steps: said.endsWith('7') ? text('<from agent="ada">', `${name} repeats`, '</from>') : text(`${name} speaks`),
    };
  });
  const sessionId = await server.open();
  const random = numbers(20_26);
  const expected: Expected = { primary: 'ada', spoke: new Set() };
  for (let index = 0; index < TURNS; index++) {
    const message = choose(random, index);
    const { turn } = await server.say(sessionId, message);
    expect(turn.state).toBe('complete');
    check(message, expected);
    if (index === 60) await server.call('compactSession', { params: { sessionId }, body: { keep: 3 } });
  }
  expect(await server.messages(sessionId)).toHaveLength(TURNS * 2);
  await nothingIsLeftIn(sessionId);
});

async function nothingIsLeftIn(sessionId: string): Promise<void> {
  const given = { params: { sessionId } };
  const everything = [
    JSON.stringify(await server.messages(sessionId)),
    JSON.stringify(await server.call('exportSession', given)),
    String((await server.ask('exportSession', { ...given, query: { format: 'markdown' } })).body),
    JSON.stringify(await allEvents(sessionId)),
    storedRows(),
  ];
  for (const copy of everything) {
    expect(copy).toContain('Message 99');
    expect(copy.match(FRAMINGS)).toBeNull();
    expect(copy).not.toContain('<from');
    expect(copy).not.toContain('\\u003cfrom');
  }
}

async function allEvents(sessionId: string): Promise<unknown[]> {
  const { lastSeq } = await server.session(sessionId);
  const leave = new AbortController();
  const events = [];
  for await (const frame of server.parley.events(`/api/sessions/${sessionId}/events?after=0`, {}, leave.signal)) {
    events.push(frame.data);
    if (Number.parseInt(frame.id ?? '', 10) === lastSeq) break;
  }
  leave.abort();
  return events;
}

/** What an agent was shown is kept apart, with its framing: that is what it is for. Everything else is history. */
function storedRows(): string {
  const db = new DatabaseSync(path.join(server.parley.home, 'parley.db'), { readOnly: true });
  const tables = ['messages', 'events', 'turns', 'sessions', 'compactions', 'partials'];
  const rows = tables.flatMap((table) => db.prepare(`SELECT * FROM ${table}`).all());
  db.close();
  return JSON.stringify(rows);
}

import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Action, type ActionList, ActionState } from '../../contract/actions.ts';
import type { AgentList } from '../../contract/agents.ts';
import type { SessionEvent } from '../../contract/events.ts';
import type { Message, MessageList } from '../../contract/messages.ts';
import type { ExportedSession, SearchHit, SearchResults, Session, SessionList } from '../../contract/sessions.ts';
import type { ToolCall, ToolCallList } from '../../contract/tools.ts';
import type { QueueList, Turn } from '../../contract/turns.ts';
import type { Parley } from './parley.ts';

/** One session, as every way of asking shows it. */
export interface SessionReadback {
  session: Session;
  messages: Message[];
  turns: Turn[];
  queue: QueueList['queue'];
  events: SessionEvent[];
  floor: number;
  exported: ExportedSession;
  markdown: string;
  hits: SearchHit[];
  /** Of all its turns, in the order in which they were made. */
  calls: ToolCall[];
  /** Asked in this session, whatever became of them. */
  actions: Action[];
}

export interface Readback {
  sessions: SessionReadback[];
  /** The stream of all sessions, from its beginning. */
  everything: SessionEvent[];
  runningTurns: number;
  /** Display names by agent id. */
  names: ReadonlyMap<string, string>;
}

/** Who waits for a person does so for any time. */
const SETTLED = new Set(['idle', 'active', 'completed', 'error', 'paused', 'waiting']);

/** Everything the server tells about its data. Waits until nobody speaks, so that all of it is about one moment. */
export async function readEverything(parley: Parley, quietMs = 20_000): Promise<Readback> {
  const sessions = await quietSessions(parley, quietMs);
  const position = (await parley.ok<SessionList>('GET', '/api/sessions?limit=1')).position;
  const readbacks: SessionReadback[] = [];
  const actions = await readActions(parley);
  for (const session of sessions) readbacks.push(await readSession(parley, session, actions));
  const { agents } = await parley.ok<AgentList>('GET', '/api/agents?hidden=true');
  const waiting = readbacks.flatMap(({ turns }) => turns).filter(({ state }) => state === 'waiting').length;
  return {
    sessions: readbacks,
    everything: await readUpto(parley, '/api/events', position, (event) => event.position),
    names: new Map(agents.map(({ agentId, displayName }) => [agentId, displayName])),
    runningTurns: await runningTurns(parley, waiting, quietMs),
  };
}

/** A turn of a deleted session is in no list: on a full disk it may still be about to try once more to end. */
async function runningTurns(parley: Parley, waiting: number, quietMs: number): Promise<number> {
  for (const deadline = Date.now() + quietMs; ; ) {
    const { body } = await parley.request<string>('GET', '/metrics');
    const running = Number(/^parley_turns_running (\d+)$/m.exec(body)?.[1]);
    if (running === waiting || Date.now() > deadline) return running;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function quietSessions(parley: Parley, quietMs: number): Promise<Session[]> {
  const deadline = Date.now() + quietMs;
  for (;;) {
    const sessions = await listSessions(parley);
    const busy = sessions.filter((session) => !SETTLED.has(session.status));
    if (busy.length === 0) return sessions;
    if (Date.now() > deadline)
      throw new Error(`P4: still ${busy.map((one) => `${one.id} ${one.status}`).join(', ')} after ${quietMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export async function listSessions(parley: Parley): Promise<Session[]> {
  const sessions: Session[] = [];
  for (const archived of ['false', 'true']) {
    let cursor: string | null = '';
    while (cursor !== null) {
      const more: string = cursor ? `&cursor=${cursor}` : '';
      const page: SessionList = await parley.ok('GET', `/api/sessions?limit=200&archived=${archived}${more}`);
      sessions.push(...page.sessions);
      cursor = page.next;
    }
  }
  return sessions;
}

async function readSession(parley: Parley, { id }: Session, actions: readonly Action[]): Promise<SessionReadback> {
  const base = `/api/sessions/${id}`;
  const session = await parley.ok<Session>('GET', base);
  const floor = floorOf(parley.home, id);
  const events = await readUpto(parley, `${base}/events`, session.lastSeq, (event) => event.seq, floor);
  return {
    session,
    events,
    floor,
    messages: await readMessages(parley, id),
    turns: (await parley.ok<{ turns: Turn[] }>('GET', `${base}/turns?limit=500`)).turns,
    calls: await readCalls(parley, events),
    actions: actions.filter(({ sessionId }) => sessionId === id),
    queue: (await parley.ok<QueueList>('GET', `${base}/queue`)).queue,
    exported: await parley.ok<ExportedSession>('GET', `${base}/export?format=json`),
    markdown: (await parley.request<string>('GET', `${base}/export?format=markdown`)).body,
    hits: await searchSession(parley, id),
  };
}

/** Only turns that are said to have made some are asked; the file is searched for others. */
async function readCalls(parley: Parley, events: readonly SessionEvent[]): Promise<ToolCall[]> {
  const turnIds = new Set(events.flatMap((event) => ('call' in event ? [event.call.turnId] : [])));
  const calls: ToolCall[] = [];
  for (const id of turnIds) calls.push(...(await parley.ok<ToolCallList>('GET', `/api/turns/${id}/tool-calls`)).calls);
  return calls;
}

async function readActions(parley: Parley): Promise<Action[]> {
  const actions: Action[] = [];
  for (const state of ActionState.options)
    actions.push(...(await parley.ok<ActionList>('GET', `/api/actions?limit=500&state=${state}`)).actions);
  return actions;
}

/** From where on a session can be followed: a clearing takes its earlier events along. */
function floorOf(home: string, id: string): number {
  const db = new DatabaseSync(path.join(home, 'parley.db'), { readOnly: true, timeout: 5000 });
  const row = db.prepare('SELECT event_floor FROM sessions WHERE id = ?').get(id);
  db.close();
  return Number(row?.event_floor ?? 0);
}

/** Page by page, from the end. */
async function readMessages(parley: Parley, id: string): Promise<Message[]> {
  const messages: Message[] = [];
  let before: number | null | undefined;
  while (before !== null) {
    const from: string = before === undefined ? '' : `&before=${before}`;
    const page: MessageList = await parley.ok('GET', `/api/sessions/${id}/messages?limit=40${from}`);
    messages.unshift(...page.messages);
    before = page.before;
  }
  return messages;
}

async function searchSession(parley: Parley, id: string): Promise<SearchHit[]> {
  const hits: SearchHit[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const more: string = cursor ? `&cursor=${cursor}` : '';
    const page: SearchResults = await parley.ok('GET', `/api/search?limit=100&q=session:${id}${more}`);
    hits.push(...page.hits);
    cursor = page.next;
  }
  return hits;
}

/** A stream from a number on, until the newest event that was there when asked. */
export async function readUpto(
  parley: Parley,
  route: string,
  last: number,
  numberOf: (event: SessionEvent) => number,
  after = 0,
): Promise<SessionEvent[]> {
  const events: SessionEvent[] = [];
  if (last <= after) return events;
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), 30_000);
  for await (const frame of parley.events(
    `${route}?deltas=false`,
    { 'Last-Event-ID': `${after}` },
    controller.signal,
  )) {
    const resumedAt = frame.type === 'reset' ? Number(frame.data.position) : undefined;
    if (frame.id !== undefined && frame.type !== 'reset') events.push(frame.data);
    if ((resumedAt ?? (events.length > 0 ? numberOf(events.at(-1)!) : 0)) >= last) break;
  }
  clearTimeout(timer);
  controller.abort();
  return events;
}

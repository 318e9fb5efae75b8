import type { Action } from '../../contract/actions.ts';
import type { SessionEvent } from '../../contract/events.ts';
import type { Turn } from '../../contract/turns.ts';
import { until } from '../harness/parley.ts';
import { follow } from './following.ts';
import type { TestServer } from './test-server.ts';

/** Everything durable that happened in a session. */
export async function eventsOf(server: TestServer, sessionId: string): Promise<SessionEvent[]> {
  const { lastSeq } = await server.session(sessionId);
  const route = `/api/sessions/${sessionId}/events?deltas=false`;
  const frames = await follow(server, route, lastSeq, { 'Last-Event-ID': '0' });
  return frames.map(({ data }) => data);
}

/** What was said, once nobody works or waits there any more. */
export async function idle(server: TestServer, sessionId: string): Promise<string[]> {
  await until(
    () => server.session(sessionId),
    ({ status }) => status !== 'working' && status !== 'waiting',
  );
  return server.transcript(sessionId);
}

/** The first thing that waits for the person in a session. */
export async function openAction(server: TestServer, sessionId: string): Promise<Action> {
  const { actions } = await until(
    () => server.call('listActions', { query: { session: sessionId } }),
    ({ actions: open }) => open.length > 0,
  );
  return actions[0]!;
}

/** The first turn that is taken on behalf of another. */
export async function childOf(server: TestServer, turnId: string): Promise<Turn> {
  const tree = await until(
    () => server.call('turnTree', { params: { turnId } }),
    ({ root }) => root.children.length > 0,
  );
  return tree.root.children[0]!.turn;
}

/** Role, speaker and words of everything said. */
export async function thread(server: TestServer, sessionId: string): Promise<string[]> {
  const messages = await server.messages(sessionId);
  return messages.map(({ role, agent, text }) => `${role}${agent ? ` ${agent}` : ''}: ${text}`);
}

import type { Action } from '../../contract/actions.ts';
import type { SessionEvent } from '../../contract/events.ts';
import type { Turn } from '../../contract/turns.ts';
import { until } from '../harness/parley.ts';
import { follow } from './following.ts';
import type { Stage } from './stage.ts';

/** Everything durable that happened in a session. */
export async function eventsOf(stage: Stage, sessionId: string): Promise<SessionEvent[]> {
  const { lastSeq } = await stage.session(sessionId);
  const route = `/api/sessions/${sessionId}/events?deltas=false`;
  const frames = await follow(stage, route, lastSeq, { 'Last-Event-ID': '0' });
  return frames.map(({ data }) => data);
}

/** What was said, once nobody works or waits there any more. */
export async function idle(stage: Stage, sessionId: string): Promise<string[]> {
  await until(
    () => stage.session(sessionId),
    ({ status }) => status !== 'working' && status !== 'waiting',
  );
  return stage.transcript(sessionId);
}

/** The first thing that waits for the person in a session. */
export async function openAction(stage: Stage, sessionId: string): Promise<Action> {
  const { actions } = await until(
    () => stage.call('listActions', { query: { session: sessionId } }),
    ({ actions: open }) => open.length > 0,
  );
  return actions[0]!;
}

/** The first turn that is taken on behalf of another. */
export async function childOf(stage: Stage, turnId: string): Promise<Turn> {
  const tree = await until(
    () => stage.call('turnTree', { params: { turnId } }),
    ({ root }) => root.children.length > 0,
  );
  return tree.root.children[0]!.turn;
}

/** Role, speaker and words of everything said. */
export async function thread(stage: Stage, sessionId: string): Promise<string[]> {
  const messages = await stage.messages(sessionId);
  return messages.map(({ role, agent, text }) => `${role}${agent ? ` ${agent}` : ''}: ${text}`);
}

import { isDeepStrictEqual } from 'node:util';
import type { Action } from '../../contract/actions.ts';
import type { Part } from '../../contract/messages.ts';
import type { ToolCall } from '../../contract/tools.ts';
import type { SessionReadback } from './readback.ts';

/** Calls and actions of a session: in the rows, in the events and in the messages they are the same. */
export function checkTools(one: SessionReadback): string[] {
  return [
    ...one.calls.flatMap((call) => checkCall(one, call)),
    ...one.actions.flatMap((action) => checkAction(one, action)),
    ...checkWaiting(one),
    ...checkParts(one),
  ];
}

/** P2, P3: every call ends once, with its turn at the latest, and everyone is told of it in order. */
function checkCall({ events, turns }: SessionReadback, call: ToolCall): string[] {
  const problems: string[] = [];
  const isOver = call.endedAt !== null;
  const turn = turns.find(({ id }) => id === call.turnId);
  if (turn?.endedAt && !isOver) problems.push(`P2: call ${call.id} is ${call.state} after its turn`);
  if (isOver === (call.state === 'waiting' || call.state === 'running'))
    problems.push(`P2: call ${call.id} is ${call.state}, ended ${call.endedAt}`);
  const told = events.flatMap((event) => ('call' in event && event.call.id === call.id ? [event] : []));
  const ends = told.filter(({ type }) => type === 'tool.ended').length;
  if (ends !== (isOver ? 1 : 0)) problems.push(`P2: call ${call.id} (${call.state}) ended ${ends} times`);
  if (isOver && told.at(-1)?.type !== 'tool.ended') problems.push(`P5: call ${call.id} goes on after its end`);
  if (!isDeepStrictEqual(told.at(-1)?.call, call)) problems.push(`P5: events say otherwise of call ${call.id}`);
  return problems;
}

/** P4: what is asked is open as long as somebody waits for the answer, and settled once. */
function checkAction({ events, turns, session }: SessionReadback, action: Action): string[] {
  const problems: string[] = [];
  const told = events.flatMap((event) => ('action' in event && event.action.id === action.id ? [event] : []));
  const types = told.map(({ type }) => type).join();
  const wanted = action.state === 'open' ? 'action.opened' : 'action.opened,action.settled';
  if (types !== wanted) problems.push(`P5: action ${action.id} (${action.state}) was told as ${types}`);
  if (!isDeepStrictEqual(told.at(-1)?.action, action)) problems.push(`P5: events say otherwise of action ${action.id}`);
  const turn = turns.find(({ id }) => id === action.turnId);
  const isWaited = action.kind === 'failure' ? session.status === 'error' : turn?.state === 'waiting';
  if (action.state === 'open' && !isWaited)
    problems.push(`P4: ${action.kind} ${action.id} is open, its turn ${turn?.state}, its session ${session.status}`);
  return problems;
}

/** P4: a turn waits exactly as long as something of it does. */
function checkWaiting({ turns, calls, actions, session }: SessionReadback): string[] {
  const waiting = turns.filter(({ state }) => state === 'waiting');
  const problems = waiting
    .filter(({ id }) => !actions.some(({ turnId, state }) => turnId === id && state === 'open'))
    .filter(({ id }) => !calls.some(({ turnId, state }) => turnId === id && state === 'waiting'))
    .filter(({ id }) => !turns.some(({ parentTurnId, state }) => parentTurnId === id && state === 'waiting'))
    .map(({ id }) => `P4: turn ${id} waits for nothing`);
  if ((session.status === 'waiting') !== waiting.length > 0)
    problems.push(`P4: the session is ${session.status}, ${waiting.length} of its turns wait`);
  return problems;
}

type CallPart = Extract<Part, { type: 'tool_call' }>;

/** P5: what a message says of calls is what the calls say, and none is missing. */
function checkParts({ exported, calls, session, turns }: SessionReadback): string[] {
  if (session.forkedFrom) return [];
  const known = new Map(calls.map((call) => [call.id, call]));
  const problems: string[] = [];
  const shown = new Set<string>();
  for (const { id, parts = [], guest } of exported.messages) {
    for (const part of parts) {
      if (part.type === 'tool_call' && !guest) shown.add(part.callId);
      if (part.type === 'tool_call' && !guest && !isSame(part, known.get(part.callId)))
        problems.push(`P5: message ${id} says otherwise of call ${part.callId}`);
      if (part.type === 'tool_result' && known.get(part.callId)?.output !== part.output)
        problems.push(`P5: message ${id} has another result of call ${part.callId}`);
    }
  }
  for (const call of calls) {
    const isSettled = turns.find(({ id }) => id === call.turnId)?.endedAt != null;
    if (isSettled && !shown.has(call.id)) problems.push(`P1: call ${call.id} (${call.name}) is in no message`);
  }
  return problems;
}

/** A message of an agent without tools shows calls that nobody carried out, and that are nowhere else. */
function isSame(part: CallPart, call: ToolCall | undefined): boolean {
  if (!call) return part.state === 'rejected';
  return part.name === call.name && part.input === call.input && part.state === call.state;
}

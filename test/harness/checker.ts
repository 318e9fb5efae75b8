import { expect } from 'vitest';
import type { SessionEvent } from '../../contract/events.ts';
import type { ExportedMessage } from '../../contract/sessions.ts';
import { SETTLED_STATES, type Turn } from '../../contract/turns.ts';
import { checkDatabase } from './check-database.ts';
import { checkPrintedSpeakers, checkShownSpeakers } from './check-speakers.ts';
import { checkTools } from './check-tools.ts';
import type { Ledger, Sent } from './ledger.ts';
import type { Parley } from './parley.ts';
import { type Readback, readEverything, readUpto, type SessionReadback } from './readback.ts';

export interface CheckOptions {
  /** How long what was going on may take to come to rest. */
  quietMs?: number;
}

/** Reads everything back through every API and the file, and holds it against the promises. Fails with all it found. */
export async function checkPromises(parley: Parley, ledger: Ledger, options: CheckOptions = {}): Promise<Readback> {
  const readback = await readEverything(parley, options.quietMs);
  const problems = [
    ...checkDatabase(parley.home),
    ...readback.sessions.flatMap((one) => checkSession(one, ledger)),
    ...checkAcknowledged(readback, ledger),
    ...checkSessionsKnown(readback, ledger),
    ...checkOneOrder(readback),
    ...readback.sessions.flatMap((one) => checkShownSpeakers(one, (agentId) => readback.names.get(agentId) ?? agentId)),
    ...(await checkPrintedSpeakers(parley, readback)),
    ...(await checkResume(parley, readback)),
    ...checkQuiet(readback),
  ];
  expect(problems).toEqual([]);
  return readback;
}

/** P4: nothing runs in a quiet server but who waits for a person, and every one of those has an owner. */
function checkQuiet({ sessions, runningTurns }: Readback): string[] {
  const waiting = sessions.flatMap(({ turns }) => turns).filter(({ state }) => state === 'waiting').length;
  return runningTurns === waiting ? [] : [`P4: ${runningTurns} turns run in a quiet server in which ${waiting} wait`];
}

function checkSession(one: SessionReadback, ledger: Ledger): string[] {
  return [
    ...checkNumbers(one),
    ...checkTurns(one),
    ...checkSerial(one),
    ...checkStatus(one),
    ...checkOrder(one),
    ...checkSpeakers(one, ledger),
    ...checkWords(one, ledger),
    ...checkInvented(one, ledger),
    ...checkTools(one),
  ].map((problem) => `${problem} (session ${one.session.id})`);
}

/** P1: what was acknowledged is there, once, in every place that shows it. */
function checkAcknowledged(readback: Readback, ledger: Ledger): string[] {
  const bySession = new Map(readback.sessions.map((one) => [one.session.id, one]));
  return [...ledger.sent.values()]
    .filter((sent) => sent.acknowledged && !sent.mayBeGone)
    .flatMap((sent) => {
      const one = bySession.get(sent.sessionId);
      if (!one) return [`P1: the session of acknowledged message ${sent.id} is gone`];
      return checkOneAcknowledged(one, sent);
    });
}

function checkOneAcknowledged(one: SessionReadback, sent: Sent): string[] {
  const said = one.exported.messages.filter((message) => message.id === sent.id);
  const waiting = one.queue.filter((entry) => entry.message.id === sent.id);
  const texts = [...said.map((message) => message.text), ...waiting.map((entry) => entry.message.text)];
  if (texts.length !== 1) return [`P1: acknowledged message ${sent.id} is there ${texts.length} times`];
  const problems = texts[0] === sent.text ? [] : [`P1: acknowledged message ${sent.id} has other words`];
  const shown = one.messages.filter((message) => message.id === sent.id).length;
  if (shown !== (waiting.length > 0 || said[0]?.onPath ? 1 : 0))
    problems.push(`P1: ${sent.id} is shown ${shown} times`);
  const found = one.hits.filter((hit) => hit.messageId === sent.id).length;
  if (said.length > 0 && found !== 1) problems.push(`P1: ${sent.id} is found ${found} times by search`);
  return problems;
}

function checkInvented(one: SessionReadback, ledger: Ledger): string[] {
  const people = one.exported.messages.filter((message) => message.role === 'user');
  if (one.session.forkedFrom || !ledger.sessions.has(one.session.id)) {
    return one.session.forkedFrom
      ? people
          .filter((message) => !ledger.everSaid.has(message.text))
          .map(({ id }) => `P1: copied message ${id} was never sent`)
      : [];
  }
  return people
    .filter(({ id, agent }) => agent === null && !ledger.sent.has(id))
    .map(({ id }) => `P1: message ${id} was never sent`);
}

function checkSessionsKnown(readback: Readback, ledger: Ledger): string[] {
  const there = new Set(readback.sessions.map((one) => one.session.id));
  return [...ledger.sessions].flatMap(([id, state]) => {
    if (state === 'live' && !there.has(id)) return [`P1: session ${id} is gone`];
    return state === 'gone' && there.has(id) ? [`P10: deleted session ${id} is back`] : [];
  });
}

/** P5: gap-free numbers, in the session and over all sessions. */
function checkNumbers({ events, floor, session }: SessionReadback): string[] {
  const numbers = events.map((event) => event.seq);
  const wanted = Array.from({ length: session.lastSeq - floor }, (_, index) => floor + 1 + index);
  return numbers.join() === wanted.join() ? [] : [`P5: event numbers ${numbers.join()} instead of ${wanted.join()}`];
}

function checkOneOrder({ sessions, everything }: Readback): string[] {
  const problems: string[] = [];
  if (everything.some((event, index) => index > 0 && event.position <= everything[index - 1]!.position))
    problems.push('P5: positions do not rise');
  for (const { session, events } of sessions) {
    const inAll = everything.filter((event) => event.sessionId === session.id && event.seq <= session.lastSeq);
    if (JSON.stringify(inAll) !== JSON.stringify(events))
      problems.push(`P5: the shared stream shows session ${session.id} differently`);
  }
  return problems;
}

/** P2: one turn per message and agent it is addressed to, at most one answer, exactly one end, and the events say the same. */
function checkTurns(one: SessionReadback): string[] {
  const problems: string[] = [];
  const firstTurns = Map.groupBy(
    one.turns.filter((turn) => turn.retryOf === null),
    (turn) => turn.messageId,
  );
  for (const [messageId, turns] of firstTurns)
    if (new Set(turns.map((turn) => turn.agentId)).size !== turns.length)
      problems.push(`P2: message ${messageId} has ${turns.length} turns`);
  for (const turn of one.turns) problems.push(...checkTurn(one, turn));
  return problems;
}

function checkTurn(one: SessionReadback, turn: Turn): string[] {
  const problems: string[] = [];
  const ends = one.events.filter((event) => event.type === 'turn.settled' && event.turn.id === turn.id);
  const settled = (SETTLED_STATES as readonly string[]).includes(turn.state);
  if (ends.length !== (settled ? 1 : 0))
    problems.push(`P2: turn ${turn.id} (${turn.state}) ended ${ends.length} times`);
  for (const end of ends) {
    if (end.type === 'turn.settled' && JSON.stringify(end.turn) !== JSON.stringify(turn))
      problems.push(`P2: the end of turn ${turn.id} says otherwise than the turn`);
  }
  const answers = one.exported.messages.filter((message) => answersOf(one, turn).has(message.id));
  const wasCut = one.turns.some((other) => other.steeredInto === turn.id || other.parentTurnId === turn.id);
  if (answers.length > 1 && !wasCut) problems.push(`P2: turn ${turn.id} has ${answers.length} answers`);
  if ((turn.answerId !== null) !== answers.length > 0) problems.push(`P2: turn ${turn.id} and its answer disagree`);
  if (turn.state === 'running') problems.push(`P4: turn ${turn.id} is ${turn.state}`);
  return problems;
}

function answersOf({ events }: SessionReadback, turn: Turn): Set<string> {
  const created = events.flatMap((event) => (event.type === 'message.created' ? [event.message] : []));
  const said = created.filter(({ turnId, role }) => turnId === turn.id && role === 'assistant');
  return new Set(said.map((message) => message.id));
}

/** P11: between the start and the end of a turn no other one starts or speaks, except inside it and in its place. */
function checkSerial({ events }: SessionReadback): string[] {
  const running: string[] = [];
  const problems: string[] = [];
  for (const event of events) {
    const inner = running.at(-1);
    if (event.type === 'turn.started') {
      if (inner && event.turn.parentTurnId !== inner) problems.push(`P11: ${event.turn.id} started during ${inner}`);
      running.push(event.turn.id);
    } else if (event.type === 'message.created' && event.message.turnId !== null && event.message.turnId !== inner) {
      problems.push(`P11: ${event.message.turnId} spoke during ${inner}`);
    } else if (event.type === 'turn.settled' && running.includes(event.turn.id))
      running.splice(running.indexOf(event.turn.id), 1);
    else if (event.type === 'session.cleared') running.length = 0;
  }
  return problems;
}

/** P4: the status follows from the turns; counts follow from the rows. */
function checkStatus(one: SessionReadback): string[] {
  const { session, queue, exported, messages } = one;
  const problems: string[] = [];
  const wanted = statusFrom(one);
  if (!wanted.includes(session.status)) problems.push(`P4: status ${session.status}, its turns say ${wanted}`);
  const path = exported.messages.filter((message) => message.onPath);
  if (session.messageCount !== path.length)
    problems.push(`P5: counts ${session.messageCount} of ${path.length} messages`);
  if (session.queuedCount !== queue.length)
    problems.push(`P4: counts ${session.queuedCount} of ${queue.length} waiting`);
  if (session.headId !== (path.at(-1)?.id ?? null)) problems.push(`P5: the head is ${session.headId}`);
  const shown = messages.filter((message) => message.seq !== null).map((message) => message.id);
  if (shown.join() !== path.map((message) => message.id).join()) problems.push('P5: history and export differ');
  return problems;
}

/** As the last turn ended; several may have ended in the same millisecond. */
function statusFrom({ queue, session, turns }: SessionReadback): string[] {
  if (turns.some(({ state }) => state === 'waiting')) return ['waiting'];
  if (queue.length > 0) return ['working'];
  if (turns.length === 0) return session.messageCount > 0 ? ['active'] : ['idle'];
  const newest = turns
    .map((turn) => turn.endedAt ?? '')
    .toSorted()
    .at(-1);
  return turns.filter((turn) => turn.endedAt === newest).flatMap((turn) => STATUS_AFTER[turn.state] ?? []);
}

const STATUS_AFTER: Partial<Record<Turn['state'], string[]>> = {
  failed: ['error'],
  interrupted: ['paused'],
  complete: ['active', 'completed'],
  cancelled: ['active', 'completed'],
};

/** P5: the order of the stream, of the export and of the words in Markdown is one order. */
function checkOrder({ events, exported, markdown, floor }: SessionReadback): string[] {
  const seqs = exported.messages.map((message) => message.seq);
  const problems = seqs.every((seq, index) => index === 0 || seq > seqs[index - 1]!) ? [] : ['P5: export out of order'];
  const streamed = [...new Set(events.flatMap(placedBy))];
  const stored = exported.messages.map((message) => message.id);
  // A fork and an import bring messages along without telling each of them.
  if (floor === 0 && streamed.length === stored.length && streamed.join() !== stored.join())
    problems.push('P5: the stream and the export have different orders');
  const path = exported.messages.filter((message) => message.onPath);
  const places = path.map((message) => markdown.indexOf(` · #${message.seq} · `));
  if (places.some((place, index) => place < 0 || (index > 0 && place < places[index - 1]!)))
    problems.push('P5: Markdown has another order');
  return problems;
}

/** Messages that an event gives their place. */
function placedBy(event: SessionEvent): string[] {
  if (event.type === 'turn.started' || event.type === 'message.created') return [event.message.id];
  return event.type === 'turn.settled' && event.message ? [event.message.id] : [];
}

/** P9: who said it, as it was asked for. */
function checkSpeakers(one: SessionReadback, ledger: Ledger): string[] {
  const turnOf = new Map<string, Turn>();
  for (const turn of one.turns) for (const id of answersOf(one, turn)) turnOf.set(id, turn);
  return one.exported.messages.flatMap((message) => {
    const turn = turnOf.get(message.id);
    const problems: string[] = [];
    if (message.role === 'user' && message.agent !== null && !isFromAgent(one, message))
      problems.push(`P9: a person is called ${message.agent}`);
    if (turn && (message.agent !== turn.agentId || message.guest !== turn.guest))
      problems.push(`P9: ${message.id} is by ${message.agent}, its turn by ${turn.agentId}`);
    const asked = turn && turn.retryOf === null ? ledger.sent.get(turn.messageId)?.agent : undefined;
    if (asked !== undefined && message.agent !== asked) problems.push(`P9: ${message.agent} answered for ${asked}`);
    return problems;
  });
}

/** A task that an agent gave, or what came of one. */
function isFromAgent({ turns }: SessionReadback, { id, parts }: ExportedMessage): boolean {
  return (
    parts.some((part) => part.type === 'delegation') || turns.some((turn) => turn.messageId === id && turn.parentTurnId)
  );
}

const FRAMING =
  /<\/?from\b|<\/?delegate\b|The message above is (?:from|the result)|\[The agents you asked|You are joining a conversation between|Other agents have spoken in this conversation/;

/** P7, P8: an answer is what was scripted or, when cut short, its beginning; nothing of the request is in it. */
function checkWords(one: SessionReadback, ledger: Ledger): string[] {
  const byId = new Map(one.exported.messages.map((message) => [message.id, message]));
  const texts = new Map(one.turns.flatMap((turn) => [...answersOf(one, turn)].map((id) => [id, turn] as const)));
  return one.exported.messages.flatMap((message) => {
    if (message.role === 'user') return [];
    const problems = FRAMING.test(message.text)
      ? [`P8: ${message.id} holds framing: ${message.text.slice(0, 80)}`]
      : [];
    if (message.guest && message.status === 'interrupted') problems.push(`P7: a guest's partial answer was kept`);
    const turn = texts.get(message.id);
    if (turn) problems.push(...checkAgainstScript(message, byId.get(turn.messageId)?.text, ledger));
    return problems;
  });
}

function checkAgainstScript(message: ExportedMessage, said: string | undefined, ledger: Ledger): string[] {
  if (!ledger.expectedAnswer || said === undefined) return [];
  const wanted = ledger.expectedAnswer(said, message.agent ?? '');
  const right = message.status === 'complete' ? message.text === wanted : wanted.startsWith(message.text);
  return right ? [] : [`P7: ${message.status} answer ${message.id} is ${JSON.stringify(message.text.slice(0, 80))}`];
}

/** P6: from a few places, the stream gives exactly the rest. */
async function checkResume(parley: Parley, { sessions }: Readback): Promise<string[]> {
  const problems: string[] = [];
  for (const { session, events, floor } of sessions.slice(0, 5)) {
    const from = floor + Math.floor((session.lastSeq - floor) / 2);
    const rest = await readUpto(parley, `/api/sessions/${session.id}/events`, session.lastSeq, (e) => e.seq, from);
    const wanted = events.filter((event) => event.seq > from);
    if (JSON.stringify(rest) !== JSON.stringify(wanted)) problems.push(`P6: resume of ${session.id} after ${from}`);
  }
  return problems;
}

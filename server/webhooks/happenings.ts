import type { Author } from '../../contract/artifacts.ts';
import type { SessionEvent } from '../../contract/events.ts';
import { MOST_WEBHOOK_TEXT, type WebhookEvent, type WebhookPayload } from '../../contract/webhooks.ts';
import type { StoredEvent } from '../events/bus.ts';
import type { Fact } from '../events/facts.ts';
import { findSession } from '../sessions/store.ts';
import { toSession } from '../sessions/views.ts';
import type { Db } from '../storage/tables.ts';
import { findMessage } from '../turns/store.ts';

type Data = WebhookPayload['data'];

/** Something that webhooks can tell, as they choose by it. */
export interface Happening {
  readonly event: WebhookEvent;
  readonly owner: string;
  readonly agentId: string | null;
  readonly sessionId: string | null;
  readonly turnId: string | null;
  /** The message that it quotes. */
  readonly messageId: string | null;
  readonly artifactId: string | null;
  /** What is told of it, with or without texts; read only when a webhook wants it. */
  describe(db: Db, texts: boolean): Promise<Data>;
}

const NOTHING = { agentId: null, sessionId: null, turnId: null, messageId: null, artifactId: null };

/** Null for what no webhook can tell. */
export function happeningOf({ owner, event }: StoredEvent): Happening | null {
  const about = { ...NOTHING, owner, sessionId: event.sessionId };
  switch (event.type) {
    case 'session.created':
      return { ...about, event: event.type, agentId: event.session.agentId, describe: describeCreated(event) };
    case 'turn.settled': {
      const { id: turnId, agentId, answerId: messageId } = event.turn;
      return { ...about, event: event.type, agentId, turnId, messageId, describe: describeTurn(owner, event) };
    }
    case 'action.opened':
    case 'action.settled': {
      const { agentId, turnId } = event.action;
      return { ...about, event: event.type, agentId, turnId, describe: describeAction(owner, event) };
    }
    default:
      return null;
  }
}

export function happeningOfFact(fact: Fact): Happening | null {
  const about = { ...NOTHING, owner: fact.owner };
  switch (fact.type) {
    case 'artifact.changed': {
      const { agentId, sessionId, turnId } = fact.by;
      const whose = { agentId, sessionId, turnId, artifactId: fact.artifactId };
      return { ...about, ...whose, event: fact.type, describe: async (_, texts) => artifactData(fact, texts) };
    }
    case 'schedule.ran': {
      const { agentId, run } = fact;
      const whose = { agentId, sessionId: run.sessionId, turnId: run.turnId };
      return { ...about, ...whose, event: fact.type, describe: async (_, texts) => scheduleData(fact, texts) };
    }
    case 'artifact.removed':
      return null;
    default:
      return fact satisfies never;
  }
}

type EventOf<Type extends SessionEvent['type']> = Extract<SessionEvent, { type: Type }>;

function describeCreated({ session: { id, agentId, title } }: EventOf<'session.created'>): Happening['describe'] {
  return async (_, texts) => ({ session: { id, agentId, ...(texts && { title }) } });
}

function describeTurn(owner: string, { sessionId, turn }: EventOf<'turn.settled'>): Happening['describe'] {
  const { id, agentId, state, parentTurnId, error, answerId } = turn;
  const facts = { id, agentId, state, parentTurnId, error: error && { code: error.code } };
  return async (db, texts) => ({
    session: await sessionData(db, owner, sessionId, texts),
    turn: facts,
    answer: answerId === null ? null : { messageId: answerId, ...(texts && (await textOf(db, answerId))) },
  });
}

async function textOf(db: Db, messageId: string): Promise<{ text: string; isCut?: boolean }> {
  const text = (await findMessage(db, messageId))?.text ?? '';
  if (text.length <= MOST_WEBHOOK_TEXT) return { text };
  return { text: text.slice(0, MOST_WEBHOOK_TEXT).toWellFormed(), isCut: true };
}

type ActionEvent = EventOf<'action.opened'> | EventOf<'action.settled'>;

function describeAction(owner: string, { sessionId, action }: ActionEvent): Happening['describe'] {
  const { id, kind, state, agentId, turnId, approval, title } = action;
  const facts = { id, kind, state, agentId, turnId, tool: approval?.tool ?? null };
  return async (db, texts) => ({
    session: await sessionData(db, owner, sessionId, texts),
    action: { ...facts, ...(texts && { question: title }) },
  });
}

async function sessionData(db: Db, owner: string, id: string, texts: boolean) {
  if (!texts) return { id };
  const row = await findSession(db, owner, id);
  return row ? { id, title: toSession(row).title } : { id };
}

type FactOf<Type extends Fact['type']> = Extract<Fact, { type: Type }>;

function artifactData(
  { artifactId: id, kind, version, name, changes, by }: FactOf<'artifact.changed'>,
  texts: boolean,
) {
  return { artifact: { id, kind, version, ...(texts && { name }) }, changes: [...changes], by: by satisfies Author };
}

function scheduleData({ scheduleId: id, agentId, name, run }: FactOf<'schedule.ran'>, texts: boolean) {
  return { schedule: { id, agentId, ...(texts && { name }) }, run };
}

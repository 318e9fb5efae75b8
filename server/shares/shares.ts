import { createHash, randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { AppError } from '../../contract/errors.ts';
import { newId } from '../../contract/ids.ts';
import type { Message, Part } from '../../contract/messages.ts';
import { DEFAULT_SENDER } from '../../contract/names.ts';
import type { ExportedMessage, ExportedSession, Session } from '../../contract/sessions.ts';
import type { SharedSession } from '../../contract/shares.ts';
import { say } from '../../contract/texts.ts';
import type { EventLog } from '../events/log.ts';
import { selectCutAnswers, selectMessages } from '../sessions/message-store.ts';
import { loadSession } from '../sessions/store.ts';
import { toMessage, toSession, toTime } from '../sessions/views.ts';
import type { SessionRow, ShareRow } from '../storage/tables.ts';
import { type KeptMessage, type KeptPart, type Shown, textIn, toKept, toShared } from './snapshot.ts';
import { deleteShare, findByToken, insertShare, type ListedShare, selectShares } from './store.ts';

const PAGE = 200;

/** Links under which any reader can see what was said, as it was at a moment. */
export class Shares {
  readonly #log: EventLog;
  /** How many bytes one may hold. */
  readonly #limit: () => number;

  constructor(log: EventLog, limit: () => number) {
    this.#log = log;
    this.#limit = limit;
  }

  /** The branch being shown; what waits or is being said is not part of it. `origin` is where others find it. */
  async create(owner: string, sessionId: string, shown: Shown, origin: string): Promise<ListedShare> {
    const before = await loadSession(this.#log.db, owner, sessionId);
    const messages = await this.#collect(before, shown);
    if (messages === '[]') throw new AppError('nothing_to_share', say('nothing_to_share'));
    return this.#log.write(async (tx) => {
      const session = await loadSession(tx.db, owner, sessionId);
      // Something may have been deleted while it was being read.
      if (session.event_floor !== before.event_floor) throw new AppError('session_busy', say('session_busy.share'));
      const share = newShare(session, messages, { origin, toolDetails: shown.toolDetails, now: tx.now });
      await insertShare(tx.db, share);
      return share;
    });
  }

  list(owner: string, query: { session?: string | undefined; limit: number }): Promise<ListedShare[]> {
    return selectShares(this.#log.db, owner, query);
  }

  /** From then on the link leads nowhere. */
  async revoke(owner: string, id: string): Promise<void> {
    if (await deleteShare(this.#log.db, owner, id)) return;
    throw new AppError('share_not_found', say('share_not_found', { id }));
  }

  async read(token: string): Promise<Omit<SharedSession, 'canCopy'>> {
    const share = await this.#find(token);
    return { title: share.title, sharedAt: toTime(share.created_at), messages: toShared(messagesOf(share)) };
  }

  /** A session of one's own with what was said, to go on from there. */
  async copy(owner: string, token: string, knows: (agentId: string) => boolean): Promise<Session> {
    const share = await this.#find(token);
    const { importSession } = await import('../sessions/import.ts');
    const file = toExported(share.title, messagesOf(share), knows);
    return importSession(this.#log, owner, file, { limits: { messageBytes: this.#limit() } });
  }

  /** The same work whether it is there or not: nothing is compared but what the database finds by its hash. */
  async #find(token: string): Promise<ShareRow> {
    const share = await findByToken(this.#log.db, hashOf(token));
    if (!share) throw new AppError('share_not_found', say('share_not_found.link'));
    return share;
  }

  /** Others get their turn between the pages. */
  async #collect(session: SessionRow, shown: Shown): Promise<string> {
    const pieces: string[] = [];
    const isToolSession = session.type === 'tool-execution';
    const cut = await selectCutAnswers(this.#log.db, session.id);
    let before: Message | undefined;
    let bytes = 2;
    for (let after = 0; ; ) {
      const rows = await selectMessages(this.#log.db, session.id, { after, limit: PAGE });
      for (const row of rows) {
        const message = toMessage(row);
        const kept = toKept(message, shown, { isToolSession, before, cut: cut.get(message.id) });
        before = message;
        if (kept) bytes += Buffer.byteLength(pieces[pieces.push(JSON.stringify(kept)) - 1]!) + 1;
        if (bytes > this.#limit()) throw tooLarge(this.#limit());
      }
      if (rows.length < PAGE) return `[${pieces.join(',')}]`;
      after = rows.at(-1)!.seq!;
      await setImmediate();
    }
  }
}

interface Made {
  origin: string;
  toolDetails: boolean;
  now: number;
}

function newShare(session: SessionRow, messages: string, { origin, toolDetails, now }: Made): ShareRow {
  const token = randomBytes(32).toString('base64url');
  return {
    id: newId(now),
    owner: session.owner,
    session_id: session.id,
    origin,
    token,
    token_hash: hashOf(token),
    title: toSession(session).title,
    messages,
    tool_details: toolDetails ? 1 : 0,
    created_at: now,
  };
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('base64');
}

function messagesOf({ messages }: ShareRow): KeptMessage[] {
  return JSON.parse(messages);
}

function tooLarge(limit: number): AppError {
  return new AppError('share_too_large', say('share_too_large', { limit }));
}

/**
 * What was shared in the form in which sessions are imported: words under their names, in one line. What tools did stays
 * behind, since it happened elsewhere. The last speaker becomes the primary, if there is such an agent here.
 */
export function toExported(
  title: string,
  messages: readonly KeptMessage[],
  knows: (agentId: string) => boolean,
): ExportedSession {
  const taken = messages.map((message) => ({
    ...message,
    text: textIn(message),
    parts: message.parts.flatMap((part) => toPart(part, message)),
  }));
  const said = taken.filter(({ parts }) => parts.length > 0);
  const last = said.findLast(({ role, agent }) => role === 'assistant' && agent !== null && knows(agent));
  const now = new Date().toISOString();
  const about = { name: null, title, agentId: last?.agent ?? null, sender: DEFAULT_SENDER, folder: null };
  return {
    format: 'parley.session',
    version: 1,
    exportedAt: now,
    session: { ...about, type: 'conversation', mode: 'full', team: null, attributes: {}, createdAt: now },
    messages: said.map(toExportedMessage),
    compactions: [],
  };
}

type Taken = Omit<KeptMessage, 'parts'> & { parts: Part[]; text: string };

function toExportedMessage({ role, agent, guest, text, parts, createdAt }: Taken, index: number): ExportedMessage {
  return {
    id: `m${index}`,
    seq: index + 1,
    parentId: index > 0 ? `m${index - 1}` : null,
    role,
    agent,
    guest,
    status: 'complete',
    text,
    parts,
    onPath: true,
    compactionId: null,
    createdAt,
  };
}

function toPart(part: KeptPart, message: KeptMessage): Part[] {
  switch (part.type) {
    case 'text':
      return [part];
    case 'file':
      return [{ ...part, fileId: null }];
    case 'delegation': {
      const { fromName: _, toName: __, ...delegation } = part;
      return [{ ...delegation, state: 'complete', task: textIn(message), turnId: null, sessionId: 'elsewhere' }];
    }
    case 'webhook':
      return [{ ...part, webhookId: 'elsewhere' }];
    case 'tool_call':
      return [];
    default:
      return part satisfies never;
  }
}

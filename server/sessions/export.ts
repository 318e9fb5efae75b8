import type { ExportedMessage, ExportedSession } from '../../contract/sessions.ts';
import type { CompactionRow, Db, SessionRow } from '../storage/tables.ts';
import { type DisplayName, markdownOf } from './export-markdown.ts';
import { readSnapshot, type Snapshot, takeSnapshot } from './export-snapshot.ts';
import type { StoredMessage } from './message-store.ts';
import { toCompaction, toMessage, toTime } from './views.ts';

/** Everything that was said in a session, on every branch, with its speakers. */
export async function exportSession(db: Db, owner: string, id: string): Promise<ExportedSession> {
  const snapshot = await takeSnapshot(db, owner, id);
  const messages: ExportedMessage[] = [];
  for await (const page of readSnapshot(db, snapshot)) messages.push(...page.map(toExported));
  return { ...headOf(snapshot), messages, compactions: snapshot.compactions.map(toExportedCompaction) };
}

/** The same as JSON text in pieces: a long session is never in memory as a whole. */
export async function* exportSessionText(db: Db, owner: string, id: string): AsyncGenerator<string> {
  const snapshot = await takeSnapshot(db, owner, id);
  yield `${JSON.stringify(headOf(snapshot)).slice(0, -1)},"messages":[`;
  let separator = '';
  for await (const page of readSnapshot(db, snapshot)) {
    yield separator + page.map((row) => JSON.stringify(toExported(row))).join(',');
    separator = ',';
  }
  yield `],"compactions":${JSON.stringify(snapshot.compactions.map(toExportedCompaction))}}`;
}

/** For people to read: every speaker named, nothing left out that was said. */
export async function* exportMarkdown(db: Db, owner: string, id: string, nameOf: DisplayName): AsyncGenerator<string> {
  const snapshot = await takeSnapshot(db, owner, id);
  yield* markdownOf(snapshot, () => readSnapshot(db, snapshot), nameOf);
}

function headOf({ session }: Snapshot): Omit<ExportedSession, 'messages' | 'compactions'> {
  return {
    format: 'parley.session',
    version: 1,
    exportedAt: new Date().toISOString(),
    session: toExportedSession(session),
  };
}

function toExportedSession(row: SessionRow): ExportedSession['session'] {
  return {
    name: row.name,
    title: row.name ?? row.title,
    agentId: row.agent_id,
    sender: row.sender,
    type: row.type,
    folder: row.folder,
    mode: row.mode,
    team: row.team === null ? null : JSON.parse(row.team),
    attributes: JSON.parse(row.attributes),
    createdAt: toTime(row.created_at),
  };
}

function toExported(row: StoredMessage): ExportedMessage {
  const { sessionId: _session, turnId: _turn, archived: _archived, siblings: _siblings, ...message } = toMessage(row);
  return {
    ...message,
    seq: row.seq!,
    status: message.status === 'interrupted' ? 'interrupted' : 'complete',
    onPath: row.on_path === 1,
    compactionId: row.compaction_id,
  };
}

function toExportedCompaction(row: CompactionRow): ExportedSession['compactions'][number] {
  const { sessionId: _session, ...compaction } = toCompaction(row);
  return { ...compaction, lastMessageId: row.last_message_id };
}

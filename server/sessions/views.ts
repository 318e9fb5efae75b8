import { withoutContextLine } from '../../contract/context-line.ts';
import type { Message, Part, Speaker } from '../../contract/messages.ts';
import type { Compaction, Session, SessionWorkspace } from '../../contract/sessions.ts';
import { speakerOf } from '../../contract/speakers.ts';
import type { SessionTeam } from '../../contract/teams.ts';
import { UNNAMED_SESSION } from '../../contract/unnamed-session.ts';
import { withoutUnseenCharacters } from '../../contract/unseen-characters.ts';
import { isoTime } from '../events/clock.ts';
import { type CompactionRow, type MessageRow, type NewMessage, type SessionRow, toParts } from '../storage/tables.ts';
import type { ShownSession } from './store.ts';

export function toSession(row: ShownSession): Session {
  return {
    id: row.id,
    type: row.type,
    status: row.status,
    agentId: row.agent_id,
    sender: row.sender,
    name: row.name,
    title: row.name ?? row.title ?? UNNAMED_SESSION,
    folder: row.folder,
    parentSessionId: row.parent_session_id ?? row.working_for_session_id,
    delegatedFrom: row.delegated_from_session_id,
    mode: row.mode,
    workspace: row.workspace === null ? null : (JSON.parse(row.workspace) as SessionWorkspace),
    team: row.team === null ? null : (JSON.parse(row.team) as SessionTeam),
    forkedFrom: toOrigin(row),
    headId: row.head_id,
    agents: row.agents === '[]' ? [] : JSON.parse(row.agents),
    messageCount: row.message_count,
    queuedCount: row.queued_count,
    unreadCount: row.unread_count,
    lastSnippet: row.snippet,
    lastSpeaker: row.snippet_speaker === null ? null : (JSON.parse(row.snippet_speaker) as Speaker),
    lastSeq: row.event_seq,
    // Most have none, and a list reads fifty.
    attributes: row.attributes === '{}' ? {} : JSON.parse(row.attributes),
    pinnedAt: toTime(row.pinned_at),
    archivedAt: toTime(row.archived_at),
    createdAt: toTime(row.created_at),
    updatedAt: toTime(row.updated_at),
    lastActivityAt: toTime(row.last_activity_at),
  };
}

function toOrigin(row: ShownSession): Session['forkedFrom'] {
  if (!row.forked_from_session_id || !row.forked_from_message_id) return null;
  return { sessionId: row.forked_from_session_id, messageId: row.forked_from_message_id };
}

export function toMessage(row: NewMessage): Message {
  return {
    id: row.id,
    sessionId: row.session_id,
    seq: row.seq,
    parentId: row.parent_id,
    turnId: row.turn_id,
    role: row.role,
    agent: row.agent_id,
    guest: row.guest === 1,
    status: row.status,
    text: row.text,
    parts: toParts(row.text, row.parts),
    archived: row.compaction_id !== null,
    createdAt: toTime(row.created_at),
  };
}

export function toCompaction(row: CompactionRow): Compaction {
  return {
    id: row.id,
    sessionId: row.session_id,
    agentId: row.agent_id,
    summary: row.summary,
    archivedCount: row.archived_count,
    uptoSeq: row.upto_seq,
    createdAt: toTime(row.created_at),
  };
}

export function toTime(at: number): string;
export function toTime(at: number | null): string | null;
export function toTime(at: number | null): string | null {
  return at === null ? null : isoTime(at);
}

const SNIPPET_LENGTH = 160;
const TITLE_LENGTH = 80;

/** What a message without words is called by. */
export function fileNames(parts: string | null): string {
  if (parts === null) return '';
  return (JSON.parse(parts) as Part[]).flatMap((part) => (part.type === 'file' ? [part.name] : [])).join(', ');
}

export function toSnippet(text: string): string {
  return oneLine(withoutContextLine(text), SNIPPET_LENGTH);
}

type Shown = Pick<MessageRow, 'role' | 'agent_id' | 'text' | 'parts'>;

/** What a list of sessions shows of a message, and who said it; undefined when there is nothing to show. */
export function snippetOf(message: Shown): Pick<SessionRow, 'snippet' | 'snippet_speaker'> | undefined {
  const snippet = toSnippet(message.text || fileNames(message.parts));
  if (snippet === '') return undefined;
  const { role, agent_id: agent, text, parts } = message;
  return { snippet, snippet_speaker: JSON.stringify(speakerOf({ role, agent, parts: toParts(text, parts) })) };
}

export const NO_SNIPPET: Pick<SessionRow, 'snippet' | 'snippet_speaker'> = { snippet: '', snippet_speaker: null };

/** Of messages in order: what is shown of the newest that has anything to show. */
export function newestSnippet(messages: readonly Shown[]): Pick<SessionRow, 'snippet' | 'snippet_speaker'> {
  for (let index = messages.length - 1; index >= 0; index--) {
    const found = snippetOf(messages[index]!);
    if (found) return found;
  }
  return NO_SNIPPET;
}

/** A title leaves out what the person was looking at, the names that a message is addressed to, and characters that cannot be seen. */
export function toTitle(text: string): string {
  const beginning = withoutUnseenCharacters(withoutContextLine(text).slice(0, TITLE_LENGTH * 4), 'prose');
  const about = beginning.replace(/^\s*(?:@[\w./-]+[,:]?\s+(?:and\s+(?=@))?)+/, '');
  return oneLine(about.trim() === '' ? beginning : about, TITLE_LENGTH);
}

/** Whole characters only: a cut never leaves half of a surrogate pair. */
function oneLine(text: string, length: number): string {
  const line = text
    .slice(0, length * 4)
    .replace(/\s+/g, ' ')
    .trim();
  if (line.length <= length) return line;
  // So many code units hold one character more than fits, if there are that many.
  const characters = Array.from(line.slice(0, 2 * length + 2));
  return characters.length <= length ? line : `${characters.slice(0, length - 1).join('')}…`;
}

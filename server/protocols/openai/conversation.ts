import { AppError } from '../../../contract/errors.ts';
import { newId } from '../../../contract/ids.ts';
import type { Message } from '../../../contract/messages.ts';
import type { Session } from '../../../contract/sessions.ts';
import type { Acceptance } from '../../turns/acceptance.ts';
import type { ProtocolDeps } from '../protocol.ts';
import type { Said, SentFile } from './said.ts';

export interface Asking {
  owner: string;
  agentId: string;
  said: Said;
  /** The session that the client names; null: the messages it sends are all there is. */
  sessionId: string | null;
  /** The response that the client goes on from. */
  after: Message | null;
  hops: number;
}

/** Sessions of clients that name none: out of the person's list, in one folder of the archive. */
const UNLISTED = { folder: 'API', attributes: { unlisted: 'openai' } };

/** Whether a session is what one client has said, and nothing else. */
export function isUnlisted({ attributes }: Pick<Session, 'attributes'>): boolean {
  return attributes.unlisted === UNLISTED.attributes.unlisted;
}

/** The message to send, in the session that it belongs to. */
export async function openConversation(deps: ProtocolDeps, asking: Asking): Promise<Acceptance> {
  const { owner, agentId, said, hops } = asking;
  const files = await Promise.all(said.files.map((file, index) => upload(deps, owner, file, index)));
  const session =
    asking.sessionId === null ? await unlisted(deps, asking) : await named(deps, asking.sessionId, asking);
  const begins = asking.sessionId === null || session.isNew;
  const content = begins && said.history.length === 0 ? withInstructions(said) : said.text;
  const message = { owner, sessionId: session.id, agent: agentId, content, files, busy: 'queue' as const, hops };
  return session.branch ? { ...message, branch: session.branch } : message;
}

function upload(deps: ProtocolDeps, owner: string, file: SentFile, index: number): Promise<string> {
  const { mediaType, content, name } = file;
  const [kind = 'file', extension = ''] = mediaType.split('/');
  const usual = kind === 'image' ? `image-${index + 1}.${extension}` : `file-${index + 1}`;
  return deps.uploadFile(owner, { name: name?.slice(0, 200) ?? usual, mediaType }, content);
}

interface OpenSession {
  id: string;
  isNew: boolean;
  branch?: Acceptance['branch'];
}

async function unlisted(deps: ProtocolDeps, { owner, agentId, said }: Asking): Promise<OpenSession> {
  const id = said.history.length === 0 ? newId() : await importHistory(deps, owner, agentId, said);
  if (said.history.length === 0) await deps.sessions.create(owner, { id, agentId, ...UNLISTED });
  else await deps.sessions.patch(owner, id, UNLISTED);
  await deps.sessions.setArchived(owner, id, true);
  return { id, isNew: true };
}

async function importHistory(deps: ProtocolDeps, owner: string, agentId: string, said: Said): Promise<string> {
  const instructions = said.instructions === '' ? [] : [{ role: 'user' as const, content: instructionText(said) }];
  const { id } = await deps.importSession(owner, { agent: agentId, messages: [...instructions, ...said.history] });
  return id;
}

/** One that does not exist yet is made, under the name that the client gave it. */
async function named(deps: ProtocolDeps, id: string, { owner, agentId, after }: Asking): Promise<OpenSession> {
  try {
    const session = await deps.exposedSession(owner, id);
    return { id, isNew: false, branch: branchAfter(session, after) };
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'session_not_found')) throw error;
    await deps.sessions.create(owner, { id, agentId });
    return { id, isNew: true };
  }
}

/** An older response is gone on from where it was. A session that people see goes on at its end: others may have spoken. */
function branchAfter(session: Session, after: Message | null): Acceptance['branch'] {
  if (!after || after.seq === null || !isUnlisted(session) || session.headId === after.id) return undefined;
  return { parentId: after.id, afterSeq: after.seq };
}

function withInstructions(said: Said): string {
  return said.instructions === '' ? said.text : `${instructionText(said)}\n\n${said.text}`;
}

/** The person's programs write it, so it is the person's word, not the system's. */
function instructionText({ instructions }: Said): string {
  return `[Instructions of the program that sends this:]\n\n${instructions}`;
}

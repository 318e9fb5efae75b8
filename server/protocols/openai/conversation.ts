import { AppError } from '../../../contract/errors.ts';
import { newId } from '../../../contract/ids.ts';
import type { Acceptance } from '../../turns/acceptance.ts';
import type { ProtocolDeps } from '../protocol.ts';
import type { DataImage, Said } from './said.ts';

export interface Asking {
  owner: string;
  agentId: string;
  said: Said;
  /** The session that the client names; null: the messages it sends are all there is. */
  sessionId: string | null;
  hops: number;
}

/** Sessions of clients that name none: out of the person's list, in one folder of the archive. */
const UNLISTED = { folder: 'API', attributes: { unlisted: 'openai' } };

/** The message to send, in the session that it belongs to. */
export async function openConversation(deps: ProtocolDeps, asking: Asking): Promise<Acceptance> {
  const { owner, agentId, said, hops } = asking;
  const files = await Promise.all(said.images.map((image, index) => upload(deps, owner, image, index)));
  const session =
    asking.sessionId === null ? await unlisted(deps, asking) : await named(deps, asking.sessionId, asking);
  const begins = asking.sessionId === null || session.isNew;
  const content = begins && said.history.length === 0 ? withInstructions(said) : said.text;
  return { owner, sessionId: session.id, agent: agentId, content, files, busy: 'queue', hops };
}

function upload(deps: ProtocolDeps, owner: string, { mediaType, content }: DataImage, index: number): Promise<string> {
  const name = `image-${index + 1}.${mediaType.replace(/^image\//, '')}`;
  return deps.uploadFile(owner, { name, mediaType }, content);
}

interface OpenSession {
  id: string;
  isNew: boolean;
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
async function named(deps: ProtocolDeps, id: string, { owner, agentId }: Asking): Promise<OpenSession> {
  try {
    await deps.exposedSession(owner, id);
    return { id, isNew: false };
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'session_not_found')) throw error;
    await deps.sessions.create(owner, { id, agentId });
    return { id, isNew: true };
  }
}

function withInstructions(said: Said): string {
  return said.instructions === '' ? said.text : `${instructionText(said)}\n\n${said.text}`;
}

/** The person's programs write it, so it is the person's word, not the system's. */
function instructionText({ instructions }: Said): string {
  return `[Instructions of the program that sends this:]\n\n${instructions}`;
}

import { exportMarkdown } from '../../server/sessions/export.ts';
import { OWNER, type StoredSessions } from './stored-sessions.ts';

/** A session as Markdown, in one piece. */
export async function markdownExport(
  { log }: StoredSessions,
  sessionId: string,
  nameOf: (agentId: string) => string | undefined = () => undefined,
  owner = OWNER,
): Promise<string> {
  let text = '';
  for await (const piece of exportMarkdown(log.db, owner, sessionId, nameOf)) text += piece;
  return text;
}

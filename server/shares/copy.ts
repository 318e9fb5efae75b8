import type { Part } from '../../contract/messages.ts';
import { DEFAULT_SENDER } from '../../contract/names.ts';
import type { ExportedMessage, ExportedSession } from '../../contract/sessions.ts';
import { type KeptMessage, type KeptPart, textIn } from './snapshot.ts';

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
    session: { ...about, type: 'conversation', attributes: {}, createdAt: now },
    messages: said.map((message, index) => toMessage(message, index)),
    compactions: [],
  };
}

type Taken = Omit<KeptMessage, 'parts'> & { parts: Part[]; text: string };

function toMessage({ role, agent, guest, text, parts, createdAt }: Taken, index: number): ExportedMessage {
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
    case 'tool_call':
      return [];
    default:
      return part satisfies never;
  }
}

import type { McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { AppError } from '../../../contract/errors.ts';
import { Id } from '../../../contract/names.ts';
import type { Session } from '../../../contract/sessions.ts';
import { say } from '../../../contract/texts.ts';
import type { McpCaller } from './caller.ts';

/** Of the newest sessions; others can be read by their id. */
const LISTED = 50;
/** Of one resource. */
const MAX_CHARACTERS = 2_000_000;

/** Sessions as Markdown and as JSON, and the agents. */
export function addResources(server: McpServer, Template: typeof ResourceTemplate, caller: McpCaller): void {
  const { deps } = caller;
  const agents = { title: 'Agents', description: 'The agents that can be messaged', mimeType: JSON_TYPE };
  server.registerResource('agents', 'parley://agents', agents, async (uri) => {
    const text = JSON.stringify({ agents: deps.exposedAgents() }, null, 2);
    return { contents: [{ uri: uri.href, mimeType: JSON_TYPE, text }] };
  });
  const markdown = new Template('parley://sessions/{id}', { list: () => listSessions(caller) });
  const about = { title: 'Session', description: 'What was said in a session', mimeType: 'text/markdown' };
  server.registerResource('session', markdown, about, (uri, { id }) => readSession(caller, uri, id, 'markdown'));
  const json = new Template('parley://sessions/{id}/json', { list: undefined });
  const whole = { title: 'Session as JSON', description: 'Every branch, as exported', mimeType: JSON_TYPE };
  server.registerResource('session-json', json, whole, (uri, { id }) => readSession(caller, uri, id, 'json'));
}

const JSON_TYPE = 'application/json';

async function listSessions({ deps, owner }: McpCaller) {
  const { sessions } = await deps.sessions.list(owner, { limit: LISTED });
  return { resources: sessions.map(toResource) };
}

function toResource({ id, title, agentId, lastActivityAt }: Session) {
  const description = `${agentId ?? 'no agent'}, ${lastActivityAt}`;
  return { uri: `parley://sessions/${id}`, name: id, title, description, mimeType: 'text/markdown' };
}

async function readSession(
  { deps, owner }: McpCaller,
  uri: URL,
  given: string | string[] | undefined,
  format: 'markdown' | 'json',
) {
  const id = Id.safeParse(given).data;
  const text = id === undefined ? null : await readText(deps.exportSession(owner, id, format));
  if (text === null) throw await notFound(uri);
  const mimeType = format === 'json' ? JSON_TYPE : 'text/markdown';
  return { contents: [{ uri: uri.href, mimeType, text: text.slice(0, MAX_CHARACTERS).toWellFormed() }] };
}

/** Null when there is no such session. */
async function readText(pieces: AsyncGenerator<string>): Promise<string | null> {
  let text = '';
  try {
    for await (const piece of pieces) {
      text += piece;
      if (text.length > MAX_CHARACTERS) break;
    }
  } catch (error) {
    if (error instanceof AppError && error.code === 'session_not_found') return null;
    throw error;
  }
  return text;
}

async function notFound({ href }: URL): Promise<Error> {
  const { ResourceNotFoundError } = await import('@modelcontextprotocol/server');
  return new ResourceNotFoundError(href, say('session_not_found.resource', { uri: href.slice(0, 200) }).message);
}

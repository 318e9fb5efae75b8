import type { ParleyClient } from '../client/parley-client.ts';
import { AppError } from '../contract/errors.ts';
import type { Session } from '../contract/sessions.ts';

export const DEFAULT_SESSION = 'default';

/** A session by the name a person gave it, or by its id. */
export async function findSession(client: ParleyClient, nameOrId: string): Promise<Session | null> {
  const [named] = (await client.call('listSessions', { query: { name: nameOrId, limit: 1 } })).sessions;
  return named ?? (await findById(client, nameOrId)) ?? (await findArchived(client, nameOrId));
}

export async function requireSession(client: ParleyClient, nameOrId: string): Promise<Session> {
  const session = await findSession(client, nameOrId);
  if (session) return session;
  throw new AppError('session_not_found', `No session has the name or ID "${nameOrId}".`);
}

/** The session of that name, made when there is none. Nothing is made for an unknown agent. */
export async function openSession(
  client: ParleyClient,
  nameOrId: string,
  agentId: string | undefined,
): Promise<Session> {
  const found = await findSession(client, nameOrId);
  if (found) return found;
  try {
    return await client.call('createSession', { body: { name: nameOrId, ...(agentId && { agentId }) } });
  } catch (error) {
    // Another client created it at the same moment.
    if (error instanceof AppError && error.code === 'session_name_taken') return requireSession(client, nameOrId);
    throw error;
  }
}

async function findById(client: ParleyClient, id: string): Promise<Session | null> {
  if (!/^[A-Za-z0-9_-]{1,128}$/.test(id)) return null;
  try {
    return await client.call('getSession', { sessionId: id });
  } catch (error) {
    if (error instanceof AppError && error.code === 'session_not_found') return null;
    throw error;
  }
}

async function findArchived(client: ParleyClient, name: string): Promise<Session | null> {
  return (await client.call('listSessions', { query: { name, archived: 'true', limit: 1 } })).sessions[0] ?? null;
}

import { AppError } from '../../contract/errors.ts';
import { loadSession } from '../sessions/store.ts';
import type { SessionRow } from '../storage/tables.ts';
import type { ToolContext } from '../tools/tool.ts';
import type { TurnDeps } from '../turns/turn-deps.ts';
import { selectSessionTree, type TreeRow } from './store.ts';

/** Which sessions a call of a sessions tool may see. */
export interface SessionReach {
  /** The ids of the turn's own session and of those made for work given from it; null when every session is in reach. */
  readonly tree: readonly string[] | null;
  /** The sessions of the agents for which the turn works, its own excluded. */
  readonly above: readonly string[];
  covers(session: Participants): boolean;
}

type Caller = Pick<ToolContext, 'agentId' | 'sessionId' | 'turnId'>;
type Participants = Pick<SessionRow, 'id' | 'agent_id' | 'agents'>;

/**
 * A person reaches all their sessions; an agent those of its turn's tree, and others only when its list names the tool;
 * neither where an agent of its `agentDenylist` takes part.
 */
export async function sessionReach(deps: TurnDeps, tool: string, caller: Caller): Promise<SessionReach> {
  const { agentId, sessionId, turnId } = caller;
  if (agentId === null) return { tree: null, above: [], covers: () => true };
  const running = turnId === null ? undefined : deps.coordinator.running(turnId);
  const above = running?.chain.map((link) => link.sessionId).filter((id) => id !== sessionId) ?? [];
  const kept = (agent: string) => agent !== agentId && running?.toolset?.scoped.isKeptFrom(agent) === true;
  const isOpen = (session: Participants) => session.id === sessionId || !participants(session).some(kept);
  if (running?.toolset?.scoped.reachesAllSessions(tool)) return { tree: null, above, covers: isOpen };
  const tree = sessionId === null ? [] : openTree(await selectSessionTree(deps.log.db, sessionId), isOpen);
  return { tree, above, covers: ({ id }) => tree.includes(id) };
}

/** Parents come before their children. What was made for a session that is not open is not open either. */
function openTree(rows: readonly TreeRow[], isOpen: (session: Participants) => boolean): string[] {
  const open = new Set<string>();
  for (const row of rows) if ((row.made_for === null || open.has(row.made_for)) && isOpen(row)) open.add(row.id);
  return [...open];
}

function participants({ agent_id, agents }: Participants): string[] {
  return [...(agent_id === null ? [] : [agent_id]), ...(JSON.parse(agents) as string[])];
}

/** What is out of reach is told as what is not there, with the setting that would change it. */
export async function requireInReach(
  { log }: TurnDeps,
  owner: string,
  sessionId: string,
  reach: SessionReach,
): Promise<SessionRow> {
  const missing = new AppError(
    'session_not_found',
    `Session not found: ${sessionId}. To use sessions outside this turn, the tool must be named in toolAllowlist.`,
  );
  const session = await loadSession(log.db, owner, sessionId).catch(() => undefined);
  if (!session || !reach.covers(session)) throw missing;
  return session;
}

import type { Mentions } from '../../contract/delegation.ts';
import type { Session } from '../../contract/sessions.ts';
import type { ResolvedAgent } from '../agents/resolved-agent.ts';
import type { SessionRow } from '../storage/tables.ts';
import { readMentions } from './mentions.ts';

type Agents = ReadonlyMap<string, ResolvedAgent>;
type Present = Pick<Session, 'agentId' | 'agents'>;

/** Which agents answer a message that names agents only in its text, with the `@names` it begins with. */
export function whoAnswers(session: Present, content: string, agents: Agents): Mentions {
  const { names, all, unknown } = readMentions(content, (name) => findByName(name, agents));
  const named = all ? [...new Set([...agentsHere(session, agents), ...names])] : names;
  const answering = named.length > 0 ? named : session.agentId ? [session.agentId] : [];
  return { answering: answering.map((agentId) => ({ agentId, guest: agentId !== session.agentId })), unknown };
}

/** The agents a message is addressed to, in order; empty when it is for the primary alone. Most messages name none. */
export function addressed(session: SessionRow, content: string, agents: Agents): string[] {
  if (!content.trimStart().startsWith('@')) return [];
  const present = { agentId: session.agent_id, agents: JSON.parse(session.agents) as string[] };
  const { answering } = whoAnswers(present, content, agents);
  return answering.length === 1 && !answering[0]!.guest ? [] : answering.map(({ agentId }) => agentId);
}

/** The primary and every agent that has spoken here, as far as they still exist. */
function agentsHere({ agentId, agents: spoken }: Present, agents: Agents): string[] {
  const here = new Set([...(agentId ? [agentId] : []), ...spoken]);
  return [...here].filter((id) => agents.has(id));
}

/** Finds an agent by its id, or by a name that only one agent has. A hidden agent is found by its whole id only. */
function findByName(name: string, agents: Agents): string | null {
  if (agents.has(name)) return name;
  const wanted = slug(name);
  const fitting = [...agents.values()].filter((agent) => agent.uiVisible && namesOf(agent).includes(wanted));
  return fitting.length === 1 ? fitting[0]!.agentId : null;
}

function namesOf({ agentId, displayName }: ResolvedAgent): string[] {
  return [slug(agentId), slug(agentId.split('/').at(-1)!), slug(displayName)];
}

function slug(name: string): string {
  return name.toLowerCase().replace(/[\s_]+/g, '-');
}

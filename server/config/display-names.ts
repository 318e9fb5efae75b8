import { foldName, nameProblem } from '../../contract/agent-names.ts';
import type { AgentPatch } from '../../contract/agents.ts';
import { AppError } from '../../contract/errors.ts';
import { say } from '../../contract/texts.ts';
import type { ResolvedAgent } from '../agents/resolved-agent.ts';
import { configPathName } from '../validation.ts';
import type { Entry } from './entries.ts';

/** How every agent is called, and why some may not be called what their definitions say. */
export interface Naming {
  readonly names: ReadonlyMap<Entry, string>;
  readonly problems: ReadonlyMap<Entry, string>;
}

/**
 * An agent has the display name that its own definition gives, unless that is reserved or another agent's. Without one
 * it inherits a name or is called after its id, whichever is the first that no other agent has.
 */
export function nameAgents(agents: ReadonlyMap<Entry, AgentPatch>): Naming {
  const problems = new Map([...idProblems(agents), ...givenNameProblems(agents)]);
  const names = new Map([...agents].map(([entry, fields]) => [entry, choices(entry, fields, problems.has(entry))]));
  while (dropShared(names));
  return { names: new Map([...names].map(([entry, [name]]) => [entry, name!])), problems };
}

type Problem = readonly [Entry, string];

function idProblems(agents: ReadonlyMap<Entry, AgentPatch>): Problem[] {
  return [...agents.keys()].flatMap((entry): Problem[] => {
    const problem = nameProblem(entry.id);
    return problem ? [[entry, `${configPathName(entry.place, 'agentId')} ${problem}`]] : [];
  });
}

function givenNameProblems(agents: ReadonlyMap<Entry, AgentPatch>): Problem[] {
  const owners = new Map<string, Entry>();
  const ids = new Map([...agents.keys()].map((entry) => [foldName(entry.id), entry]));
  return [...agents.keys()].flatMap((entry): Problem[] => {
    const name = entry.fields.displayName;
    if (!name) return [];
    const named = foldName(name) === foldName(entry.id) ? undefined : ids.get(foldName(name));
    const owner = owners.get(foldName(name)) ?? named;
    if (!owner) owners.set(foldName(name), entry);
    const problem = nameProblem(name) ?? (owner && sharedName(name, owner.id));
    return problem ? [[entry, `${configPathName(entry.place, 'displayName')} ${problem}`]] : [];
  });
}

function sharedName(name: string, owner: string): string {
  return `must not be ${JSON.stringify(name)}: the agent ${owner} already has that name`;
}

/** What an agent may be called, best first. A name of its own has no alternative. */
function choices(entry: Entry, fields: AgentPatch, isRefused: boolean): string[] {
  const given = entry.fields.displayName;
  if (given && !isRefused) return [given];
  const inherited = given ? [] : [fields.displayName ?? ''];
  const usable = [...inherited, nameOf(entry.id), entry.id].filter((name) => name !== '' && nameProblem(name) === null);
  return [...new Set(usable), `agent "${entry.id}"`];
}

/** Agents that would share a name take their next choice. */
function dropShared(names: Map<Entry, string[]>): boolean {
  const count = new Map<string, number>();
  for (const [name] of names.values()) count.set(foldName(name!), (count.get(foldName(name!)) ?? 0) + 1);
  const sharing = [...names].filter(([, [name, ...others]]) => others.length > 0 && count.get(foldName(name!))! > 1);
  for (const [entry, [, ...others]] of sharing) names.set(entry, others);
  return sharing.length > 0;
}

/** `wisp/reading-list` is called Reading List until it is given a name. */
function nameOf(agentId: string): string {
  const words = agentId
    .split('/')
    .at(-1)!
    .split(/[-_.]+/)
    .filter(Boolean);
  return words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join(' ');
}

/** The agents of a configuration, and what is wrong with the names of some of them. */
export interface NamedAgents {
  readonly agents: ReadonlyMap<string, ResolvedAgent>;
  readonly nameProblems: ReadonlyMap<string, string>;
}

/** A change that is asked for is refused where it would give an agent a name that it may not have. */
export function refuseNames(before: NamedAgents, after: NamedAgents): void {
  for (const agent of after.agents.values()) {
    const earlier = before.agents.get(agent.agentId);
    const problem = after.nameProblems.get(agent.agentId);
    const isChanged = earlier?.version !== agent.version || !before.nameProblems.has(agent.agentId);
    if (problem && isChanged) refuseName(after, agent, problem);
    if (earlier?.displayName !== agent.displayName) refuseTaken(before, after, agent);
  }
}

function refuseName({ agents }: NamedAgents, { agentId, definition }: ResolvedAgent, problem: string): never {
  const issues = [problem];
  const name = definition.displayName ?? agentId;
  const owner = [...agents.values()].find(
    (one) => one.agentId !== agentId && (isSameName(one.displayName, name) || isSameName(one.agentId, name)),
  );
  if (nameProblem(agentId) === null && nameProblem(name) === null && owner)
    throw new AppError('agent_name_taken', say('agent_name_taken', { id: owner.agentId, name }), { issues });
  throw new AppError('agent_name_reserved', say('agent_name_reserved', { name }), { issues });
}

function isSameName(one: string, other: string): boolean {
  return foldName(one) === foldName(other);
}

/** A name that another agent goes by is taken, although that agent's definition does not spell it out. */
function refuseTaken(before: NamedAgents, after: NamedAgents, { agentId, definition }: ResolvedAgent): void {
  const name = definition.displayName;
  if (!name) return;
  const owner = [...before.agents.values()].find(
    (other) =>
      other.agentId !== agentId && after.agents.has(other.agentId) && foldName(other.displayName) === foldName(name),
  );
  if (!owner) return;
  const issues = [`displayName ${sharedName(name, owner.agentId)}`];
  throw new AppError('agent_name_taken', say('agent_name_taken', { id: owner.agentId, name }), { issues });
}

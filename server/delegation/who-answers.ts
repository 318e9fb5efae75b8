import { withoutContextLine } from '../../contract/context-line.ts';
import type { Mentions } from '../../contract/delegation.ts';
import type { Session } from '../../contract/sessions.ts';
import type { ResolvedAgent } from '../agents/resolved-agent.ts';
import type { SessionRow } from '../storage/tables.ts';

type Agents = ReadonlyMap<string, ResolvedAgent>;
type Present = Pick<Session, 'agentId' | 'agents'>;

/** Which agents answer a message that names agents only in its text, with the `@names` it begins with. */
export function whoAnswers(session: Present, content: string, agents: Agents): Mentions {
  const { names, all, unknown } = readMentions(withoutContextLine(content), (name) => findByName(name, agents));
  const named = all ? [...new Set([...agentsHere(session, agents), ...names])] : names;
  const answering = named.length > 0 ? named : session.agentId ? [session.agentId] : [];
  return { answering: answering.map((agentId) => ({ agentId, guest: agentId !== session.agentId })), unknown };
}

/** The agents a message is addressed to, in order; empty when it is for the primary alone. Most messages name none. */
export function addressed(session: SessionRow, content: string, agents: Agents): string[] {
  if (!withoutContextLine(content).trimStart().startsWith('@')) return [];
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

export interface ReadMentions {
  /** Agents, in the order in which they are named, each once. */
  readonly names: string[];
  readonly all: boolean;
  /** The name that ended the list because no agent has it: it stays text. */
  readonly unknown: string[];
}

const LONGEST_NAME = 128;
const NAME = /@([\p{L}\p{N}][\p{L}\p{N}\p{M}._/-]*)/uy;
/** What may follow a name. A second `@` makes it an address; an apostrophe means that the text is about the agent. */
const AFTER_NAME = /(?=$|[\s,:;.!?…)–—])/uy;
const BETWEEN = /\s*,\s*(?:and\s+)?(?=@)|\s+(?:and\s+)?(?=@)/iuy;

/**
 * The agents a message is addressed to: the `@names` it begins with, separated by spaces, commas or "and". A name
 * further on is a word like any other, and so is one in code, in a quotation or in an address, because no message
 * begins with it. `known` finds the agent of a name. A name may end in a full stop only if an agent is called that.
 */
export function readMentions(text: string, known: (name: string) => string | null): ReadMentions {
  const found = { names: new Set<string>(), all: false, unknown: [] as string[] };
  let at = text.length - text.trimStart().length;
  for (let name = nameAt(text, at); name !== null; name = nameAt(text, at)) {
    const addressed = recognise(name, known);
    if (!addressed) found.unknown.push(withoutStops(name));
    else if (addressed.agentId === null) found.all = true;
    else found.names.add(addressed.agentId);
    if (!addressed) break;
    at = endOf(BETWEEN, text, at + 1 + addressed.length) ?? text.length;
  }
  return { names: [...found.names], all: found.all, unknown: found.unknown };
}

function nameAt(text: string, at: number): string | null {
  NAME.lastIndex = at;
  const name = NAME.exec(text)?.[1];
  if (name === undefined || name.length > LONGEST_NAME) return null;
  return endOf(AFTER_NAME, text, at + 1 + name.length) === null ? null : name;
}

interface Addressed {
  /** Null for `@all`. */
  agentId: string | null;
  length: number;
}

function recognise(name: string, known: (name: string) => string | null): Addressed | null {
  for (const one of new Set([name, withoutStops(name)])) {
    if (one.toLowerCase() === 'all') return { agentId: null, length: one.length };
    const agentId = known(one);
    if (agentId !== null) return { agentId, length: one.length };
  }
  return null;
}

function withoutStops(name: string): string {
  return name.replace(/\.+$/, '');
}

function endOf(pattern: RegExp, text: string, at: number): number | null {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : null;
}

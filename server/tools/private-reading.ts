import { decideUse, type Exposed } from './exposure.ts';
import { decide, type Scope, type ScopedTool } from './scope.ts';

/** Built-in capabilities whose tools show an agent more than its own conversation, besides those that end in `.read`. */
const PRIVATE = new Set(['agents.message', 'bash.execute']);
/** Which agents there are is not private. */
const PUBLIC = 'agents.read';

/** Everything that decides what an agent can read. */
export interface ReadingTerms {
  readonly all: Exposed;
  readonly agents: ReadonlyMap<string, Scope>;
  readonly ownsTools?: (agentId: string) => boolean;
}

/**
 * What an agent can read private things with, or null when it can read none: the name of a tool, `<delegate>`, or tools
 * that it runs itself, which read files. What another agent answers counts, because that agent may have read something.
 * So does every tool of a plugin or an MCP server, because only its author knows what it reads.
 */
export function readsPrivately({ all, agents, ownsTools }: ReadingTerms, scope: Scope): string | null {
  if (ownsTools?.(scope.agentId)) return 'its own tools';
  const tool = all.tools.find((each) => isPrivate(each) && decideUse(all, scope, each).allowed);
  return tool?.name ?? (followsTags(agents, scope) && tagTargets(agents, scope).length > 0 ? '<delegate>' : null);
}

function isPrivate({ source, capabilities, sends }: ScopedTool): boolean {
  if (sends) return false;
  if (source.kind !== 'built-in') return true;
  return capabilities.some(
    (capability) => PRIVATE.has(capability) || (capability.endsWith('.read') && capability !== PUBLIC),
  );
}

/** Whether `<delegate>` tags of an agent are followed: as its definition says, else when it has children. */
export function followsTags(agents: ReadonlyMap<string, Scope>, { agentId, delegation }: Scope): boolean {
  return delegation.tags ?? [...agents.values()].some(({ parentAgentId }) => parentAgentId === agentId);
}

/** The agents that the tags of an agent can reach. */
export function tagTargets(agents: ReadonlyMap<string, Scope>, scope: Scope): Scope[] {
  return [...agents.values()].filter(
    ({ agentId, uiVisible }) => decide(scope, { kind: 'agent', agentId, uiVisible }).allowed,
  );
}

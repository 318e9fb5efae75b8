import type { AgentPatch } from '../../../contract/agents.ts';
import { cycles, spellCycle } from './cycles.ts';
import type { Entry } from './entries.ts';
import { placeName } from './place.ts';
import { didYouMean } from './suggest.ts';

/** Parents that are not there, and agents that are their own ancestors. */
export function hierarchyIssues(agents: ReadonlyMap<Entry, AgentPatch>): string[] {
  const byId = new Map([...agents.keys()].map((entry) => [entry.id, entry]));
  const parentId = (entry: Entry) => agents.get(entry)?.parentAgentId ?? undefined;
  const orphans = [...agents.keys()].filter((entry) => parentId(entry) !== undefined && !byId.has(parentId(entry)!));
  return [
    ...orphans.map((entry) => orphanIssue(entry, parentId(entry)!, byId.keys())),
    ...cycles(agents.keys(), (entry) => byId.get(parentId(entry) ?? '')).map(cycleIssue),
  ];
}

function orphanIssue(entry: Entry, parent: string, ids: Iterable<string>): string {
  return `${placeName(entry.place, 'parentAgentId')} names no agent: ${parent}${didYouMean(parent, ids)}`;
}

function cycleIssue(cycle: Entry[]): string {
  const names = cycle.map((entry) => entry.id);
  return `${placeName(cycle[0]!.place, 'parentAgentId')} makes a cycle: ${spellCycle(names)}`;
}

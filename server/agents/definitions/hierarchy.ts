import type { AgentPatch } from '../../../contract/agents.ts';
import { cycles, spellCycle } from './cycles.ts';
import type { Entry, EntryIssue } from './entries.ts';
import { placeName } from './place.ts';
import { didYouMean } from './suggest.ts';

/** Parents that are not there, and agents that are their own ancestors. */
export function hierarchyIssues(agents: ReadonlyMap<Entry, AgentPatch>): EntryIssue[] {
  const byId = new Map([...agents.keys()].map((entry) => [entry.id, entry]));
  const parentId = (entry: Entry) => agents.get(entry)?.parentAgentId ?? undefined;
  const orphans = [...agents.keys()].filter((entry) => parentId(entry) !== undefined && !byId.has(parentId(entry)!));
  return [
    ...orphans.map((entry) => orphanIssue(entry, parentId(entry)!, byId.keys())),
    ...cycles(agents.keys(), (entry) => byId.get(parentId(entry) ?? '')).map(cycleIssue),
  ];
}

function orphanIssue(entry: Entry, parent: string, ids: Iterable<string>): EntryIssue {
  const text = `${placeName(entry.place, 'parentAgentId')} names an agent that does not exist: ${parent}${didYouMean(parent, ids)}`;
  return { entry, text };
}

function cycleIssue(cycle: Entry[]): EntryIssue {
  const names = cycle.map((entry) => entry.id);
  const entry = cycle[0]!;
  return { entry, text: `${placeName(entry.place, 'parentAgentId')} forms a cycle: ${spellCycle(names)}` };
}

import type { ArtifactPlugin } from '../../contract/artifacts.ts';

/** What a tool does with an artifact. */
export type Use = 'read' | 'append' | 'mark' | 'write';

/** The tool with which the plugin that keeps an artifact does the same. */
const OWN_TOOLS: Record<ArtifactPlugin, Record<Use, string>> = {
  todo: { read: 'todo_list', append: 'todo_add', mark: 'todo_complete', write: 'todo_update' },
  'reading-list': {
    read: 'reading_list_list',
    append: 'reading_list_add',
    mark: 'reading_list_mark_read',
    write: 'reading_list_update',
  },
  journal: { read: 'journal_list', append: 'journal_add', mark: 'journal_update', write: 'journal_update' },
};

const PLUGINS = Object.keys(OWN_TOOLS) as ArtifactPlugin[];

/** Says which tools are kept from an agent. */
export interface Denying {
  denies(tool: string): boolean;
}

/**
 * Of which plugins an agent may not use what they keep: an agent that may not read the journal does not read it as notes
 * either.
 */
export function keptFrom(agent: Denying, use: Use = 'read'): readonly ArtifactPlugin[] {
  return PLUGINS.filter((plugin) => agent.denies(OWN_TOOLS[plugin].read) || agent.denies(OWN_TOOLS[plugin][use]));
}

export function isKept(hidden: readonly ArtifactPlugin[], { plugin }: { plugin: string | null }): boolean {
  return hidden.some((each) => each === plugin);
}

import type { ArtifactKind } from '../../contract/artifacts.ts';
import type { PanelInventory } from '../../contract/panels.ts';
import type { Artifacts } from './artifacts.ts';
import { keptFrom } from './kept-reach.ts';

/** Tools and skills that a turn may use. */
interface Usable {
  readonly offered: readonly { readonly name: string }[];
  readonly skills: readonly { readonly id: string }[];
  denies(tool: string): boolean;
}

/** What is listed in a prompt at most. */
const MOST_LISTED = 100;
const KINDS: readonly ArtifactKind[] = ['list', 'note', 'view', 'file'];
const PLUGINS: readonly string[] = ['lists', 'notes', 'views', 'artifact-files', 'panels'];

/** What the person keeps and has open beside a session, as far as tools that can be used show it. */
export async function surroundingsOf(
  artifacts: Artifacts,
  pages: (owner: string, sessionId: string) => readonly PanelInventory[],
  { owner, sessionId, tools }: { owner: string; sessionId: string; tools: Usable },
) {
  const names = new Set(tools.offered.map(({ name }) => name));
  const skills = new Set(tools.skills.map(({ id }) => id));
  const usable = PLUGINS.filter((plugin) => skills.has(plugin) || names.has(`${toolPrefix(plugin)}_list`));
  const kinds = KINDS.filter((kind) => usable.includes(pluginOf(kind)));
  const newest = kinds.length === 0 ? [] : await artifacts.newest(owner, kinds, MOST_LISTED + 1, keptFrom(tools));
  return {
    messageContext: usable.length > 0,
    artifacts: newest.slice(0, MOST_LISTED).map(({ id, name, kind }) => ({ type: kind, name, id })),
    hasMoreArtifacts: newest.length > MOST_LISTED,
    panels: usable.length > 0 ? pages(owner, sessionId).flatMap(panelLines) : [],
  };
}

function pluginOf(kind: ArtifactKind): string {
  return kind === 'file' ? 'artifact-files' : `${kind}s`;
}

function toolPrefix(plugin: string): string {
  return plugin.replaceAll('-', '_');
}

function panelLines({ panels }: PanelInventory) {
  return panels.map(({ panelId, item }) => ({ panelId, ...(item && { item }) }));
}

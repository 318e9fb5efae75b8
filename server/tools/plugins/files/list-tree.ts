import type { FolderEntry, Workspace } from './workspace.ts';

/** A folder and those in it, a line each; `limit` lines at most. */
export async function listTree(workspace: Workspace, folder: string, depth: number, limit: number): Promise<string> {
  const lines: string[] = [];
  for await (const line of entriesBelow(workspace, folder, depth, limit + 1)) {
    if (lines.push(line) > limit) break;
  }
  if (lines.length === 0) return `${folder} is empty.`;
  return lines.length > limit
    ? [...lines.slice(0, limit), '[More entries exist; list a subfolder]'].join('\n')
    : lines.join('\n');
}

async function* entriesBelow(
  workspace: Workspace,
  folder: string,
  depth: number,
  most: number,
): AsyncGenerator<string> {
  for (const entry of await workspace.list(folder, most)) {
    const path = folder === '.' ? entry.name : `${folder}/${entry.name}`;
    yield describe(path, entry);
    if (entry.kind === 'folder' && depth > 1) yield* entriesBelow(workspace, path, depth - 1, most);
  }
}

function describe(place: string, { kind, size }: FolderEntry): string {
  const path = place.replace(/\p{Cc}/gu, '?');
  if (kind === 'folder') return `${path}/`;
  return kind === 'file' ? `${path} (${size} bytes)` : `${path} (${kind})`;
}

import { realpathSync, statSync } from 'node:fs';
import path from 'node:path';

/** Where workspaces are that no setting places elsewhere, inside the data folder. */
export const WORKSPACES = 'workspaces';

/**
 * Why a folder cannot be a workspace; undefined when it can. A workspace that holds the data folder, or lies in it, would
 * give an agent the credential and the configuration. Only the folder `workspaces` is made for it.
 */
export function workspaceProblem(home: string, folder: string): string | undefined {
  if (contains(folder, home)) return 'contains the data folder';
  const lies =
    contains(home, folder) &&
    !(contains(path.join(home, WORKSPACES), folder) && !isSame(path.join(home, WORKSPACES), folder));
  return lies ? 'is inside the data folder' : undefined;
}

/** What `tools.files.workspaces` says that cannot be. Relative folders are relative to the data folder. */
export function workspaceIssues(home: string, workspaces: Readonly<Record<string, string>>): string[] {
  return Object.entries(workspaces).flatMap(([agentId, folder]) => {
    const problem = workspaceProblem(home, path.resolve(home, folder));
    return problem ? [`tools.files.workspaces["${agentId}"] ${problem}, where agents must not work`] : [];
  });
}

/** By what folders are, not by how they are spelt: links are followed, and case counts only where the disk says so. */
function contains(outer: string, inner: string): boolean {
  for (let folder = realPlace(inner); ; folder = path.dirname(folder)) {
    if (isSame(outer, folder)) return true;
    if (folder === path.dirname(folder)) return false;
  }
}

function isSame(a: string, b: string): boolean {
  const [one, other] = [identity(a), identity(b)];
  return one && other ? one.dev === other.dev && one.ino === other.ino : realPlace(a) === realPlace(b);
}

function identity(folder: string) {
  return statSync(folder, { throwIfNoEntry: false, bigint: true });
}

/** The real path of what is there, followed by what is not there yet. */
function realPlace(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    const parent = path.dirname(folder);
    return parent === folder ? folder : path.join(realPlace(parent), path.basename(folder));
  }
}

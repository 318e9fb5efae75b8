import { matchGlob } from '../../glob.ts';
import { oneLine } from '../listing.ts';
import { readText } from './text.ts';
import type { Workspace } from './workspace.ts';

export interface FileSearch {
  readonly text: string;
  readonly path: string;
  readonly names: string;
  readonly ignoreCase: boolean;
  readonly limit: number;
}

export interface FileSearchResult {
  readonly hits: string[];
  /** Something was left out: too many hits, files or bytes. */
  readonly isPartial: boolean;
}

const MOST_FILES = 5000;
const MOST_BYTES = 50_000_000;
const MOST_FILE_BYTES = 1_000_000;
const MOST_DEPTH = 20;
const SKIPPED = new Set(['.git', 'node_modules']);

/** Lines that hold a text as it is. Nothing in it is special, so that no search can take for ever. */
export async function searchFiles(
  workspace: Workspace,
  search: FileSearch,
  signal: AbortSignal,
): Promise<FileSearchResult> {
  const hits: string[] = [];
  const isHit = matcher(search);
  let bytes = 0;
  let files = 0;
  for await (const file of filesBelow(workspace, search.path)) {
    signal.throwIfAborted();
    files += 1;
    bytes += Math.min(file.size, MOST_FILE_BYTES);
    if (files > MOST_FILES || bytes > MOST_BYTES) return { hits, isPartial: true };
    if (file.size > MOST_FILE_BYTES || !matchGlob(search.names, file.name)) continue;
    for (const hit of hitsIn(file.path, await readText(workspace, file.path, MOST_FILE_BYTES).catch(() => ''), isHit)) {
      if (hits.length === search.limit) return { hits, isPartial: true };
      hits.push(hit);
    }
  }
  return { hits, isPartial: false };
}

function matcher({ text, ignoreCase }: FileSearch): (line: string) => boolean {
  if (!ignoreCase) return (line) => line.includes(text);
  const wanted = text.toLowerCase();
  return (line) => line.toLowerCase().includes(wanted);
}

function* hitsIn(path: string, text: string, isHit: (line: string) => boolean): Generator<string> {
  if (text === '' || !isHit(text)) return;
  for (const [index, line] of text.split('\n').entries()) {
    if (isHit(line)) yield `${path}:${index + 1}: ${oneLine(line)}`;
  }
}

interface FoundFile {
  readonly path: string;
  readonly name: string;
  readonly size: number;
}

/** Depth first and by name. Links are not followed: what they lead to is found where it is. */
async function* filesBelow(workspace: Workspace, folder: string, depth = 0): AsyncGenerator<FoundFile> {
  for (const { name, kind, size } of await workspace.list(folder, MOST_FILES)) {
    const path = folder === '.' ? name : `${folder}/${name}`;
    if (kind === 'file') yield { path, name, size };
    else if (kind === 'folder' && depth < MOST_DEPTH && !SKIPPED.has(name)) {
      yield* filesBelow(workspace, path, depth + 1);
    }
  }
}

import { z } from 'zod';
import type { Working } from '../../../workspaces/workspaces.ts';
import { defineTool } from '../../define-tool.ts';
import { commandOf, type Plugin } from '../../plugin.ts';
import { skillPathOf } from '../../skills.ts';
import { type ToolContext, ToolFailure } from '../../tool.ts';
import { type FolderSource, workingFolder } from '../working-folder.ts';
import { readLines } from './read-lines.ts';
import { searchFiles } from './search-files.ts';
import { notText, readText, replaceText } from './text.ts';
import { type FolderEntry, Workspace } from './workspace.ts';

const ID = 'files';
const source = { kind: 'built-in', id: ID } as const;

const MOST_READ_BYTES = 200_000;
const MOST_WRITE_BYTES = 1_000_000;

const Place = z.string().min(1).max(1000).describe('Path in the workspace');
const Content = z.string().max(MOST_WRITE_BYTES);

/** The files of an agent's workspace, and no others. */
export function filesPlugin({ workspaces }: FolderSource): Plugin {
  const files: Files = {
    open: async (context) => new Workspace(context.approvedFolder ?? (await workingFolder(workspaces, context))),
    folder: (working) => workingFolder(workspaces, working),
  };
  return {
    id: ID,
    description: "Files in the agent's own workspace: list, read, write, edit, search.",
    skillPath: skillPathOf(ID),
    command: commandOf(ID),
    tools: [list, read, write, edit, search, move, remove].map((define) => define(files)),
  };
}

interface Files {
  open(context: ToolContext): Promise<Workspace>;
  folder(working: Working): Promise<string>;
}

function list(files: Files) {
  const input = z.strictObject({
    path: Place.default('.'),
    depth: z.int().min(1).max(10).default(1).describe('Levels of folders to list'),
    limit: z.int().min(1).max(1000).default(200),
  });
  return defineTool(
    {
      name: 'files_list',
      description: 'List a folder in the workspace.',
      input,
      capabilities: ['files.read'],
      risk: 'read',
      source,
      workingFolder: files.folder,
      operation: 'list',
    },
    async ({ path, depth, limit }, context) => listTree(await files.open(context), path, depth, limit),
  );
}

function read(files: Files) {
  const input = z.strictObject({
    path: Place,
    offset: z.int().min(1).default(1).describe('First line, counted from 1'),
    limit: z.int().min(1).max(10_000).default(1000).describe('Number of lines'),
  });
  return defineTool(
    {
      name: 'files_read',
      description: 'Read lines of a text file in the workspace.',
      input,
      capabilities: ['files.read'],
      risk: 'read',
      source,
      workingFolder: files.folder,
      operation: 'read',
    },
    async ({ path, offset, limit }, context) => {
      const file = await (await files.open(context)).openFile(path);
      const { bytes, next } = await readLines(file, offset, limit, MOST_READ_BYTES).finally(() => file.close());
      if (bytes.includes(0)) throw notText(path);
      const text = bytes.toString('utf8');
      if (text === '') return offset > 1 ? `${path} has fewer than ${offset} lines.` : `${path} is empty.`;
      return next === null ? text : `${text}\n[${path} continues: use offset ${next}]`;
    },
  );
}

function write(files: Files) {
  const append = z.boolean().default(false).describe('Append instead of replacing the file');
  return defineTool(
    {
      name: 'files_write',
      description: 'Write a text file in the workspace. Creates folders as needed and replaces an existing file.',
      input: z.strictObject({ path: Place, content: Content, append }),
      capabilities: ['files.write'],
      risk: 'write',
      source,
      workingFolder: files.folder,
      operation: 'write',
    },
    async ({ path, content, append }, context) => {
      const workspace = await files.open(context);
      const bytes = sizeOf(content);
      await (append ? workspace.appendToFile(path, content) : workspace.replaceFile(path, content));
      return `${append ? 'Appended' : 'Wrote'} ${bytes} ${bytes === 1 ? 'byte' : 'bytes'} to ${path}.`;
    },
  );
}

function edit(files: Files) {
  const inTurn = new Map<string, Promise<unknown>>();
  const input = z.strictObject({
    path: Place,
    find: Content.min(1).describe('The text to replace, exactly as in the file'),
    replace: Content,
    all: z.boolean().default(false).describe('Replace every occurrence'),
  });
  return defineTool(
    {
      name: 'files_edit',
      description: 'Replace text in a file in the workspace. It must occur exactly once unless all is set.',
      input,
      capabilities: ['files.write'],
      risk: 'write',
      source,
      workingFolder: files.folder,
      operation: 'edit',
    },
    async ({ path, find, replace, all }, context) => {
      const workspace = await files.open(context);
      const count = await oneAfterAnother(inTurn, workspace.root, async () => {
        const changed = replaceText(await readText(workspace, path, MOST_WRITE_BYTES), find, replace, all);
        sizeOf(changed.text);
        await workspace.replaceFile(path, changed.text);
        return changed.count;
      });
      return `Replaced ${count === 1 ? 'one occurrence' : `${count} occurrences`} in ${path}.`;
    },
  );
}

function search(files: Files) {
  const input = z.strictObject({
    text: z.string().min(1).max(500).describe('Plain text; no special characters'),
    path: Place.default('.').describe('The folder to search'),
    names: z.string().min(1).max(200).default('*').describe('Only files whose names match, for example *.md'),
    ignoreCase: z.boolean().default(false),
    limit: z.int().min(1).max(500).default(100),
  });
  return defineTool(
    {
      name: 'files_search',
      description: 'Search the text files in the workspace.',
      input,
      capabilities: ['files.read'],
      risk: 'read',
      source,
      workingFolder: files.folder,
      operation: 'search',
    },
    async (input, context) => {
      const { hits, isPartial } = await searchFiles(await files.open(context), input, context.signal);
      const lines = hits.length === 0 ? ['No matches.'] : hits;
      return (isPartial ? [...lines, '[More matches exist; narrow the search]'] : lines).join('\n');
    },
  );
}

function move(files: Files) {
  return defineTool(
    {
      name: 'files_move',
      description: 'Move or rename a file or folder in the workspace. Never overwrites.',
      input: z.strictObject({ from: Place, to: Place }),
      capabilities: ['files.write'],
      risk: 'write',
      source,
      workingFolder: files.folder,
      operation: 'move',
    },
    async ({ from, to }, context) => {
      await (await files.open(context)).move(from, to);
      return `Moved ${from} to ${to}.`;
    },
  );
}

function remove(files: Files) {
  return defineTool(
    {
      name: 'files_delete',
      description: 'Delete a file or an empty folder in the workspace.',
      input: z.strictObject({ path: Place }),
      capabilities: ['files.write'],
      risk: 'write',
      source,
      workingFolder: files.folder,
      operation: 'delete',
    },
    async ({ path }, context) => {
      await (await files.open(context)).remove(path);
      return `Deleted ${path}.`;
    },
  );
}

function sizeOf(content: string): number {
  const bytes = Buffer.byteLength(content);
  if (bytes > MOST_WRITE_BYTES) throw new ToolFailure(`Files can be at most ${MOST_WRITE_BYTES} bytes.`, 'too_large');
  return bytes;
}

/** Two edits at once would lose one of them. */
async function oneAfterAnother<T>(last: Map<string, Promise<unknown>>, key: string, act: () => Promise<T>): Promise<T> {
  const mine = (last.get(key) ?? Promise.resolve()).then(act, act);
  last.set(key, mine);
  try {
    return await mine;
  } finally {
    if (last.get(key) === mine) last.delete(key);
  }
}

/** A folder and those in it, a line each; `limit` lines at most. */
async function listTree(workspace: Workspace, folder: string, depth: number, limit: number): Promise<string> {
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

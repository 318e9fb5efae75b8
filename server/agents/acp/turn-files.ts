import { randomUUID } from 'node:crypto';
import {
  type ReadTextFileRequest,
  type ReadTextFileResponse,
  RequestError,
  type WriteTextFileRequest,
} from '@agentclientprotocol/sdk';
import { readText } from '../../tools/plugins/files/text.ts';
import { Workspace } from '../../tools/plugins/files/workspace.ts';
import { ToolFailure } from '../../tools/tool.ts';
import type { KnownCall } from './describe-call.ts';
import type { Permissions } from './permissions.ts';

const MOST_BYTES = 10_000_000;

/** A program's requests to read and write files, inside the workspace and nowhere else. */
export class TurnFiles {
  readonly #workspace: Workspace;
  readonly #permissions: Permissions;
  readonly #textOnly: boolean;

  constructor(folder: string, permissions: Permissions, textOnly: boolean) {
    this.#workspace = new Workspace(folder);
    this.#permissions = permissions;
    this.#textOnly = textOnly;
  }

  async read({ path, line, limit }: ReadTextFileRequest): Promise<ReadTextFileResponse> {
    await this.#require({ ...newCall(path), name: 'fs/read_text_file', kind: 'read', rawInput: { path, line, limit } });
    const text = await inWords(path, () => readText(this.#workspace, path, MOST_BYTES));
    return { content: linesOf(text, line ?? 1, limit ?? null) };
  }

  /** What the person has allowed as a tool call is not asked about a second time when the program carries it out. */
  async write({ path, content }: WriteTextFileRequest): Promise<Record<string, never>> {
    const isAllowed = this.#permissions.find(({ call }) => writes(call, path, content)) !== undefined;
    if (!isAllowed || this.#textOnly) await this.#requireWrite(path, content);
    await inWords(path, () => this.#workspace.replaceFile(path, content));
    return {};
  }

  async #requireWrite(path: string, newText: string): Promise<void> {
    const oldText = await readText(this.#workspace, path, MOST_BYTES).catch(() => null);
    const diff = { type: 'diff' as const, path, oldText, newText };
    const input = { path, content: newText };
    await this.#require({
      ...newCall(path),
      name: 'fs/write_text_file',
      kind: 'edit',
      rawInput: input,
      content: [diff],
    });
  }

  async #require(call: KnownCall): Promise<void> {
    if (this.#textOnly) throw refused('Guests cannot use tools.');
    const decided = await this.#permissions.ask(call);
    if (decided === 'cancelled') throw RequestError.requestCancelled();
    if (!decided.allowed) throw refused(decided.reason);
    if (decided.input !== undefined) throw refused('The person wants something else to be done.');
  }
}

function newCall(path: string): KnownCall {
  return { toolCallId: randomUUID(), title: path, locations: [{ path }] };
}

export function refused(reason: string): RequestError {
  return RequestError.invalidRequest({ details: reason }, reason);
}

/** Whether the call was shown with exactly this change. */
function writes({ content }: KnownCall, path: string, newText: string): boolean {
  return (content ?? []).some((part) => part.type === 'diff' && part.path === path && part.newText === newText);
}

/** Of the whole file, the lines that are asked for; the first is 1. */
function linesOf(text: string, from: number, limit: number | null): string {
  if (from === 1 && limit === null) return text;
  const lines = text.split('\n').slice(Math.max(0, from - 1));
  return (limit === null ? lines : lines.slice(0, limit)).join('\n');
}

/** Programs look for a file before they write it, and know by the code that there is none. */
async function inWords<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ToolFailure && error.code === 'file_not_found') throw RequestError.resourceNotFound(path);
    if (error instanceof ToolFailure) throw refused(error.message);
    throw error;
  }
}

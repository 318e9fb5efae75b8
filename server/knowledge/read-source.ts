import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Limits } from '../../contract/config.ts';
import { say } from '../../contract/texts.ts';
import type { ProcessRegistry } from '../processes/registry.ts';
import type { KnowledgeSourceRow } from '../storage/tables.ts';
import { extract } from './extract/extract.ts';
import { toPassages } from './extract/passages.ts';
import type { FoundPassage } from './extract/protocol.ts';
import { markdownLines } from './extract/text.ts';
import { problemInFile, ReadFailure } from './problems.ts';

export interface NoteText {
  readonly name: string;
  readonly version: number;
  readonly text: string;
}

export interface SourceReadingDeps {
  readonly registry: ProcessRegistry;
  limits(): Limits;
  /** Where the contents of a file are. */
  placeOf(fileId: string): string;
  /** Null: it is in the trash or gone. */
  note(owner: string, noteId: string): Promise<NoteText | null>;
}

/** The passages, some at a time, and at the end what is known of the source by then. Rejects with `ReadFailure`. */
export type SourceReading = AsyncGenerator<readonly FoundPassage[], Partial<KnowledgeSourceRow>>;

const BATCH = 200;

export async function* readNote(deps: SourceReadingDeps, { owner, note_id }: KnowledgeSourceRow): SourceReading {
  const note = await deps.note(owner, note_id!);
  if (!note) throw new ReadFailure(say('knowledge_problem.note_gone'));
  let batch: FoundPassage[] = [];
  for await (const { text, place } of toPassages(markdownLines(note.text, true))) {
    if (batch.push({ text, place }) < BATCH) continue;
    yield batch;
    batch = [];
    await setImmediate();
  }
  yield batch;
  return { name: note.name, note_version: note.version, ...factsOf(note.text) };
}

export function factsOf(text: string): { bytes: number; sha256: string } {
  return { bytes: Buffer.byteLength(text), sha256: createHash('sha256').update(text).digest('hex') };
}

/** `advance` is told how much of it has been read, from 0 to 1. */
export async function* readFile(
  deps: SourceReadingDeps,
  source: KnowledgeSourceRow,
  stopped: AbortSignal,
  advance: (fraction: number) => void,
): SourceReading {
  const limits = deps.limits();
  const slow = AbortSignal.timeout(limits.knowledgeReadMs);
  const stalled = new AbortController();
  const request = {
    serverPid: process.pid,
    file: deps.placeOf(source.file_id!),
    format: source.format,
    pages: limits.knowledgePages,
    memoryBytes: limits.knowledgeReadMemoryBytes,
  };
  try {
    const replies = extract(request, deps.registry, AbortSignal.any([stopped, slow, stalled.signal]));
    for await (const reply of watched(replies, limits.knowledgeStallMs, () => stalled.abort())) {
      if (reply.type === 'failed') throw new ReadFailure(problemInFile(reply, source.name, limits));
      if (reply.type === 'done') return { pages: reply.pages };
      advance(reply.fraction);
      yield reply.passages;
    }
  } catch (error) {
    if (error instanceof ReadFailure || stopped.aborted) throw error;
    if (slow.aborted) throw tookTooLong('too_slow', limits.knowledgeReadMs);
    if (stalled.signal.aborted) throw tookTooLong('no_progress', limits.knowledgeStallMs);
    throw error;
  }
  throw new ReadFailure(say('knowledge_problem.unreadable'));
}

function tookTooLong(problem: 'too_slow' | 'no_progress', ms: number): ReadFailure {
  return new ReadFailure(say(`knowledge_problem.${problem}`, { seconds: Math.round(ms / 1000) }));
}

/** Only the time that is spent waiting for the next one counts, not what is done with it. */
async function* watched<T>(items: AsyncIterable<T>, ms: number, stalled: () => void): AsyncGenerator<T> {
  let timer = setTimeout(stalled, ms);
  try {
    for await (const item of items) {
      clearTimeout(timer);
      yield item;
      timer = setTimeout(stalled, ms);
    }
  } finally {
    clearTimeout(timer);
  }
}

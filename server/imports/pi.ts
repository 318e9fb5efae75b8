import { homedir } from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import type { Part } from '../../contract/messages.ts';
import type { Usage } from '../../contract/turns.ts';
import type { Glance, Program, ProgramFacts, SessionFile } from './program.ts';
import { readRecords } from './records.ts';
import type { DraftNode, SessionDraft } from './session-draft.ts';

/** `~/.pi/agent/sessions/FOLDER/TIME_SESSION.jsonl` */
export const pi: Program = {
  program: 'pi',
  root: (env) => path.join(env.PI_CODING_AGENT_DIR || path.join(env.HOME || homedir(), '.pi', 'agent'), 'sessions'),
  idOf: (file) => /^[^/]+\/[^/]+_([0-9A-Za-z-]{1,100})\.jsonl$/.exec(file)?.[1] ?? null,
  glance,
  read,
  // An id is looked up only among the sessions of the folder in which pi is started.
  stateToken: (file) => file.path,
};

const Block = z.object({
  type: z.string(),
  text: z.string().optional(),
  thinking: z.string().optional(),
  id: z.string().optional(),
  name: z.string().optional(),
  arguments: z.unknown().optional(),
  data: z.string().optional(),
  mimeType: z.string().optional(),
});
type Block = z.infer<typeof Block>;

const count = z.number().nonnegative().catch(0);

const PiUsage = z.object({
  input: count,
  output: count,
  cacheRead: count,
  cacheWrite: count,
  cost: z.object({ total: count }).optional().catch(undefined),
});

const PiRecord = z.object({
  type: z.string(),
  id: z.string().optional(),
  parentId: z.string().nullish(),
  timestamp: z.string().optional(),
  cwd: z.string().optional(),
  name: z.string().optional(),
  summary: z.string().optional(),
  firstKeptEntryId: z.string().optional(),
  usage: PiUsage.optional().catch(undefined),
  message: z
    .object({
      role: z.string(),
      content: z.union([z.string(), z.array(Block)]).optional(),
      model: z.string().optional(),
      stopReason: z.string().optional(),
      toolCallId: z.string().optional(),
      isError: z.boolean().optional(),
      usage: PiUsage.optional().catch(undefined),
    })
    .optional(),
});
type PiRecord = z.infer<typeof PiRecord>;

function glance(head: readonly unknown[], tail: readonly unknown[]): Glance | null {
  const first = head.map(parse).filter((record) => record !== undefined);
  if (first[0]?.type !== 'session') return null;
  const prompt = first.find(({ message }) => message?.role === 'user');
  const named = [...first, ...tail.map(parse)].findLast((record) => record?.type === 'session_info' && record.name);
  return { title: named?.name ?? textOf(prompt?.message?.content), folder: first[0].cwd ?? null };
}

function parse(record: unknown): PiRecord | undefined {
  return PiRecord.safeParse(record).data;
}

async function read(file: SessionFile, draft: SessionDraft): Promise<ProgramFacts> {
  let title: string | null = null;
  let folder: string | null = null;
  const usage = new UsageSum();
  for await (const raw of readRecords(file.path)) {
    const record = parse(raw);
    if (!record) continue;
    if (record.type === 'session') folder ??= record.cwd ?? null;
    if (record.type === 'session_info') title = record.name ?? title;
    usage.note(record);
    if (!draft.isFull) take(draft, record);
  }
  return { title, folder, usage: usage.total };
}

function take(draft: SessionDraft, record: PiRecord): void {
  const { id, message } = record;
  if (id === undefined || record.type === 'session') return;
  const parent = draft.find(record.parentId);
  if (record.type === 'compaction') summarise(draft, record, parent);
  if (message?.role === 'user') {
    const parts = personParts(message.content);
    if (parts.length > 0) return void draft.person(id, parent, record.timestamp, parts);
  }
  if (message?.role === 'assistant') return void takeAnswer(draft, record, id, parent);
  if (message?.role === 'toolResult' && message.toolCallId)
    draft.result(message.toolCallId, textOf(message.content) ?? '', message.isError ?? false);
  draft.alias(id, parent);
}

/** The first record that was kept is not summarised, and neither is what follows it. */
function summarise(draft: SessionDraft, record: PiRecord, parent: DraftNode | null): void {
  const kept = draft.find(record.firstKeptEntryId);
  draft.summarise(kept ? kept.parent : parent, record.summary ?? '', record.timestamp);
}

function takeAnswer(draft: SessionDraft, record: PiRecord, id: string, parent: DraftNode | null): void {
  const node = draft.agent(id, parent, record.timestamp);
  const { content, stopReason } = record.message!;
  node.interrupted = stopReason === 'aborted' || stopReason === 'error';
  for (const block of typeof content === 'string' ? [] : (content ?? [])) takeBlock(draft, node, block);
  if (typeof content === 'string') draft.text(node, content);
}

function takeBlock(draft: SessionDraft, node: DraftNode, block: Block): void {
  if (block.type === 'text') draft.text(node, block.text ?? '');
  else if (block.type === 'thinking') draft.reasoning(node, block.thinking ?? '');
  else if (block.type === 'toolCall' && block.id && block.name) draft.call(node, block.id, block.name, block.arguments);
}

function personParts(content: string | readonly Block[] | undefined): Part[] {
  if (typeof content === 'string') return content.trim() === '' ? [] : [{ type: 'text', text: content }];
  return (content ?? []).flatMap((block): Part[] => {
    if (block.type === 'text' && block.text?.trim()) return [{ type: 'text', text: block.text }];
    if (block.type !== 'image') return [];
    const bytes = Math.floor(((block.data?.length ?? 0) * 3) / 4);
    const mediaType = block.mimeType ?? 'image/png';
    return [{ type: 'file', fileId: null, name: 'image', mediaType, kind: 'image', bytes }];
  });
}

function textOf(content: string | readonly Block[] | undefined): string | null {
  if (typeof content === 'string') return content;
  return content?.flatMap(({ text }) => (text ? [text] : [])).join('\n\n') ?? null;
}

class UsageSum {
  #usage: Usage | null = null;

  note({ message, usage: ofCompaction }: PiRecord): void {
    const used = message?.usage ?? ofCompaction;
    if (!used) return;
    const before = this.#usage ?? { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, cost: 0 };
    this.#usage = {
      inputTokens: before.inputTokens + used.input + used.cacheRead + used.cacheWrite,
      outputTokens: before.outputTokens + used.output,
      cachedInputTokens: (before.cachedInputTokens ?? 0) + used.cacheRead,
      cost: (before.cost ?? 0) + (used.cost?.total ?? 0),
      ...(message?.model && { model: message.model }),
    };
  }

  get total(): Usage | null {
    return this.#usage;
  }
}

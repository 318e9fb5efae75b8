import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import type { Part } from '../../contract/messages.ts';
import { ClaudeRecord, type ContentBlock, hiddenReason, resultText, textOfContent } from './claude-records.ts';
import { ClaudeUsage } from './claude-usage.ts';
import type { Glance, Program, ProgramFacts, SessionFile } from './program.ts';
import { readRecords } from './records.ts';
import type { DraftNode, SessionDraft } from './session-draft.ts';
import { filesBelow } from './session-files.ts';

/** `~/.claude/projects/FOLDER/SESSION.jsonl`; those of sub-agents are one folder further down. */
export const claude: Program = {
  program: 'claude',
  root: (env) => path.join(env.CLAUDE_CONFIG_DIR || path.join(env.HOME || homedir(), '.claude'), 'projects'),
  idOf: (file) => /^[^/]+\/([0-9a-f]{8}-[0-9a-f-]{27})\.jsonl$/.exec(file)?.[1] ?? null,
  glance,
  read,
  stateToken: ({ id }) => id,
};

function glance(head: readonly unknown[], tail: readonly unknown[]): Glance | null {
  const first = head.map(parse).filter((record) => record !== undefined);
  const prompt = first.find((record) => record.type === 'user' && hiddenReason(record) === null);
  const last = tail.map(parse).filter((record) => record !== undefined);
  if (!prompt && titleOf(last) === null) return null;
  const folder = (prompt ?? last.find(({ cwd }) => cwd))?.cwd ?? null;
  return { title: titleOf(last) ?? (prompt ? textOfContent(prompt.message?.content) : null), folder };
}

function titleOf(records: readonly ClaudeRecord[]): string | null {
  const named = records.findLast(({ customTitle }) => customTitle) ?? records.findLast(({ aiTitle }) => aiTitle);
  return named?.customTitle ?? named?.aiTitle ?? records.findLast(({ lastPrompt }) => lastPrompt)?.lastPrompt ?? null;
}

function parse(record: unknown): ClaudeRecord | undefined {
  return ClaudeRecord.safeParse(record).data;
}

async function read(file: SessionFile, draft: SessionDraft): Promise<ProgramFacts> {
  const usage = new ClaudeUsage();
  const records: ClaudeRecord[] = [];
  let folder: string | null = null;
  for await (const raw of readRecords(file.path)) {
    const record = parse(raw);
    if (!record || record.isSidechain) continue;
    usage.note(record);
    folder ??= record.cwd ?? null;
    if (isTitle(record)) records.push(record);
    if (!draft.isFull) take(draft, record);
  }
  await addSubAgents(file, draft);
  return { title: titleOf(records), folder, usage: usage.total };
}

function isTitle({ customTitle, aiTitle, lastPrompt }: ClaudeRecord): boolean {
  return (customTitle ?? aiTitle ?? lastPrompt) !== undefined;
}

function take(draft: SessionDraft, record: ClaudeRecord): void {
  const { uuid, type } = record;
  if (uuid === undefined) return;
  const parent = draft.find(record.parentUuid ?? record.logicalParentUuid);
  if (type === 'user') takeUser(draft, record, uuid, parent);
  else if (type === 'assistant') takeAssistant(draft, record, uuid, parent);
  else draft.alias(uuid, parent);
}

function takeUser(draft: SessionDraft, record: ClaudeRecord, uuid: string, parent: DraftNode | null): void {
  const hidden = hiddenReason(record);
  const blocks = blocksOf(record);
  if (hidden === 'summary') draft.summarise(parent, textOfContent(record.message?.content), record.timestamp);
  if (hidden === 'interruption' && parent?.role === 'assistant') parent.interrupted = true;
  for (const block of blocks) if (block.type === 'tool_result') takeResult(draft, block);
  const parts = hidden === null ? partsOf(record) : [];
  if (parts.length > 0) draft.person(uuid, parent, record.timestamp, parts);
  else draft.alias(uuid, parent);
}

function takeResult(draft: SessionDraft, { tool_use_id, content, is_error }: ContentBlock): void {
  if (tool_use_id !== undefined) draft.result(tool_use_id, resultText(content), is_error ?? false);
}

function partsOf({ message }: ClaudeRecord): Part[] {
  const content = message?.content;
  if (typeof content === 'string') return content.trim() === '' ? [] : [{ type: 'text', text: content }];
  return (content ?? []).flatMap((block): Part[] => {
    if (block.type === 'text' && block.text?.trim()) return [{ type: 'text', text: block.text }];
    return block.type === 'image' ? [imagePart(block)] : [];
  });
}

function imagePart({ source }: ContentBlock): Part {
  const mediaType = source?.media_type ?? 'image/png';
  const bytes = Math.floor(((source?.data?.length ?? 0) * 3) / 4);
  return { type: 'file', fileId: null, name: 'image', mediaType, kind: 'image', bytes };
}

/** Each block of an answer is a record of its own, under the id of the answer. */
function takeAssistant(draft: SessionDraft, record: ClaudeRecord, uuid: string, parent: DraftNode | null): void {
  if (record.message?.model === '<synthetic>') return void draft.alias(uuid, parent);
  const answerId = `answer ${record.message?.id ?? uuid}`;
  const node = draft.find(answerId) ?? draft.agent(answerId, parent, record.timestamp);
  draft.alias(uuid, node);
  if (record.isAbortedMidStream) node.interrupted = true;
  for (const block of blocksOf(record)) takeBlock(draft, node, block);
}

function takeBlock(draft: SessionDraft, node: DraftNode, block: ContentBlock): void {
  if (block.type === 'text') draft.text(node, block.text ?? '');
  else if (block.type === 'thinking') draft.reasoning(node, block.thinking ?? '');
  else if (block.type === 'tool_use' && block.id && block.name) draft.call(node, block.id, block.name, block.input);
}

const TEXT_BLOCK: ContentBlock = { type: 'text', input: undefined, content: undefined };

function blocksOf({ message }: ClaudeRecord): readonly ContentBlock[] {
  const content = message?.content;
  return typeof content === 'string' ? [{ ...TEXT_BLOCK, text: content }] : (content ?? []);
}

const SubAgentFacts = z.object({ toolUseId: z.string() });

/** What a sub-agent said last is the result of the call that started it. */
async function addSubAgents(file: SessionFile, draft: SessionDraft): Promise<void> {
  const folder = path.join(file.path.replace(/\.jsonl$/, ''), 'subagents');
  for (const { path: name } of await filesBelow(folder, (each) => /^agent-[^/]+\.meta\.json$/.test(each))) {
    const facts = SubAgentFacts.safeParse(await readJson(path.join(folder, name)));
    if (!facts.success || draft.outputOf(facts.data.toolUseId) === undefined) continue;
    const answer = await lastAnswer(path.join(folder, name.replace(/\.meta\.json$/, '.jsonl')));
    if (answer !== null) draft.result(facts.data.toolUseId, answer, false);
  }
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch {
    return undefined;
  }
}

async function lastAnswer(file: string): Promise<string | null> {
  let answer: string | null = null;
  try {
    for await (const raw of readRecords(file)) {
      const record = parse(raw);
      if (record?.type === 'assistant') answer = textOfContent(record.message?.content) || answer;
    }
  } catch {
    return answer;
  }
  return answer;
}

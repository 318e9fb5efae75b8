import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { AppError } from '../../contract/errors.ts';
import { isJsonTooDeep, MAX_JSON_DEPTH } from '../../contract/json-depth.ts';
import { DEFAULT_SENDER } from '../../contract/names.ts';
import { ExportedMessage, ExportedSession, PlainMessage, PlainSession } from '../../contract/sessions.ts';
import { textOf } from '../../contract/streamed-messages.ts';
import { say } from '../../contract/texts.ts';
import { describeIssues } from '../validation.ts';
import { mergeAttributes } from './attributes.ts';
import { toTitle } from './views.ts';

const MAX_ISSUES = 20;
const THE_FILE = { whole: 'the file', path: [] };

/** An export of Parley's own or a plain session file, checked and in the one form that is stored. */
export async function readImport(body: unknown, messageBytes: number): Promise<ExportedSession> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw importInvalid(['the file must be a JSON object']);
  }
  if (isDeeper(body, MAX_JSON_DEPTH))
    throw importInvalid([`the file is nested more than ${MAX_JSON_DEPTH} levels deep`]);
  if (Object.hasOwn(body, 'format')) {
    const file = await parse(ExportedSession, ExportedMessage, body);
    assertNone(checkExported(file, messageBytes));
    return file;
  }
  const file = await parse(PlainSession, PlainMessage, body);
  assertNone(checkPlain(file, messageBytes));
  return fromPlain(file, new Date().toISOString());
}

/** Messages are checked some at a time, so that others are served meanwhile. */
async function parse<T extends { messages: M[] }, M>(
  schema: z.ZodType<T>,
  message: z.ZodType<M>,
  body: object & { messages?: unknown },
): Promise<T> {
  const isList = Array.isArray(body.messages);
  const file = schema.safeParse(isList ? { ...body, messages: [] } : body);
  const issues = file.error ? [...file.error.issues] : [];
  const messages: M[] = [];
  for await (const part of isList ? parseMessages(message, body.messages as unknown[]) : []) {
    for (const one of part.data) messages.push(one);
    issues.push(...part.issues);
  }
  if (!file.success || issues.length > 0) throw importInvalid(describeIssues(issues, schema, body, THE_FILE));
  return { ...file.data, messages };
}

const AT_ONCE = 250;

async function* parseMessages<M>(message: z.ZodType<M>, messages: readonly unknown[]) {
  const list = z.array(message);
  for (let start = 0; start < messages.length; start += AT_ONCE) {
    const { data, error } = list.safeParse(messages.slice(start, start + AT_ONCE));
    const issues = (error?.issues ?? []).map((issue) => ({ ...issue, path: pathInFile(issue.path, start) }));
    yield { data: data ?? [], issues };
    await setImmediate();
  }
}

function pathInFile([index, ...rest]: PropertyKey[], start: number): PropertyKey[] {
  return ['messages', start + Number(index), ...rest];
}

function assertNone(issues: string[]): void {
  if (issues.length > 0) throw importInvalid(issues);
}

function importInvalid(issues: string[]): AppError {
  const [first, ...rest] = issues;
  const more = rest.length > 0 ? ` (and ${rest.length} more)` : '';
  return new AppError('import_invalid', say('import_invalid', { issue: first ?? '', more }), {
    issues: issues.slice(0, MAX_ISSUES),
  });
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((item) => isDeeper(item, levels - 1));
}

/**
 * An old file names its agent once: that agent is the primary, and messages that do not say who spoke stay untagged. In
 * a new file every agent was asked by name, and naming an agent makes it the primary from then on: it is the last
 * speaker. Such files hold no times; the order is theirs, the time that of the import.
 */
function fromPlain(file: PlainSession, at: string): ExportedSession {
  const lastSpeaker = file.messages.findLast((message) => message.role === 'assistant' && message.agent)?.agent;
  const opening = file.messages.find((message) => message.role === 'user')?.content;
  return {
    format: 'parley.session',
    version: 1,
    exportedAt: at,
    session: {
      name: null,
      title: (opening && toTitle(opening)) || null,
      agentId: file.agent ?? lastSpeaker ?? null,
      sender: DEFAULT_SENDER,
      type: 'conversation',
      folder: null,
      mode: 'full',
      team: null,
      attributes: {},
      createdAt: at,
    },
    messages: file.messages.map((message, index) => fromPlainMessage(message, index, at)),
    compactions: [],
  };
}

function fromPlainMessage(message: PlainSession['messages'][number], index: number, at: string) {
  const { role, content } = message;
  return {
    id: `m${index}`,
    seq: index + 1,
    parentId: index > 0 ? `m${index - 1}` : null,
    role,
    agent: role === 'assistant' ? (message.agent ?? null) : null,
    guest: false,
    status: 'complete' as const,
    text: content,
    parts: content ? [{ type: 'text' as const, text: content }] : [],
    onPath: true,
    compactionId: null,
    createdAt: at,
  };
}

/** What a schema cannot say: sizes in bytes, and that ids, branches and summaries fit together. */
export function checkExported(file: ExportedSession, messageBytes: number): string[] {
  return [
    ...checkAttributes(file),
    ...file.messages.flatMap((message, index) => [
      ...checkSizes(message, `messages[${index}]`, messageBytes),
      ...checkVoice(message, `messages[${index}]`),
      ...checkCalls(message, `messages[${index}]`),
    ]),
    ...checkOrder(file.messages),
    ...checkPath(file.messages),
    ...checkCompactions(file, messageBytes),
  ];
}

export function checkPlain(file: PlainSession, messageBytes: number): string[] {
  return file.messages.flatMap((message, index) =>
    checkSize(message.content, `messages[${index}].content`, messageBytes),
  );
}

function checkAttributes({ session }: ExportedSession): string[] {
  try {
    mergeAttributes({}, session.attributes);
    return [];
  } catch (error) {
    if (error instanceof AppError) return [`session.${error.message.replace(/\.$/, '')}`];
    throw error;
  }
}

/** Arguments are JSON inside a string: the depth of the file says nothing about theirs. */
function checkCalls({ parts }: ExportedMessage, place: string): string[] {
  return parts.flatMap((part, index) =>
    part.type === 'tool_call' && isJsonTooDeep(part.input)
      ? [`${place}.parts[${index}].input must be nested at most ${MAX_JSON_DEPTH} levels deep`]
      : [],
  );
}

function checkSizes(message: ExportedMessage, place: string, bytes: number): string[] {
  const parts = message.parts.flatMap((part, index) =>
    Object.entries(part).flatMap(([name, value]) =>
      typeof value === 'string' ? checkSize(value, `${place}.parts[${index}].${name}`, bytes) : [],
    ),
  );
  return [...checkSize(message.text, `${place}.text`, bytes), ...parts];
}

function checkSize(text: string, place: string, bytes: number): string[] {
  // No text has fewer bytes than UTF-16 units, or more than three for each.
  if (text.length * 3 <= bytes || Buffer.byteLength(text) <= bytes) return [];
  return [`${place} must hold at most ${bytes} bytes`];
}

function checkVoice(message: ExportedMessage, place: string): string[] {
  const issues: string[] = [];
  if (message.role === 'delegation' && !message.parts.some((part) => part.type === 'delegation'))
    issues.push(`${place}.parts must contain a delegation part`);
  if (message.guest && message.agent === null) issues.push(`${place}.guest must be false when no agent is named`);
  if (message.role !== 'delegation' && message.text !== textOf(message.parts))
    issues.push(`${place}.text must match the text of its parts`);
  return issues;
}

function checkOrder(messages: readonly ExportedMessage[]): string[] {
  const issues: string[] = [];
  const earlier = new Set<string>();
  let seq = 0;
  for (const [index, message] of messages.entries()) {
    const place = `messages[${index}]`;
    if (message.seq <= seq) issues.push(`${place}.seq must be greater than ${seq}, the seq of the previous message`);
    if (earlier.has(message.id)) issues.push(`${place}.id must be unique`);
    if (message.parentId !== null && !earlier.has(message.parentId)) {
      issues.push(`${place}.parentId must be null or the id of an earlier message`);
    }
    earlier.add(message.id);
    seq = message.seq;
  }
  return issues;
}

/** The branch being shown is one line from a beginning to its head. */
function checkPath(messages: readonly ExportedMessage[]): string[] {
  let head: string | null = null;
  for (const [index, message] of messages.entries()) {
    if (!message.onPath) continue;
    if (message.parentId !== head) {
      return [`messages[${index}].onPath must be false: the message does not follow the previous one on the path`];
    }
    head = message.id;
  }
  return [];
}

function checkCompactions(file: ExportedSession, bytes: number): string[] {
  const seqs = new Map(file.messages.map((message) => [message.id, message.seq]));
  const ids = new Set<string>();
  const issues = file.compactions.flatMap((compaction, index) => {
    const place = `compactions[${index}]`;
    const found = [...checkSize(compaction.summary, `${place}.summary`, bytes)];
    if (ids.has(compaction.id)) found.push(`${place}.id must be unique`);
    ids.add(compaction.id);
    const seq = seqs.get(compaction.lastMessageId);
    if (seq === undefined) found.push(`${place}.lastMessageId must be the id of a message`);
    else if (seq !== compaction.uptoSeq) found.push(`${place}.uptoSeq must be ${seq}, the seq of its last message`);
    return found;
  });
  return [...issues, ...checkArchived(file.messages, ids)];
}

function checkArchived(messages: readonly ExportedMessage[], compactions: ReadonlySet<string>): string[] {
  return messages.flatMap(({ compactionId }, index) =>
    compactionId === null || compactions.has(compactionId)
      ? []
      : [`messages[${index}].compactionId must be null or the id of a compaction`],
  );
}

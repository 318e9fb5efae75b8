import { AppError } from '../../contract/errors.ts';
import { isJsonTooDeep, MAX_JSON_DEPTH } from '../../contract/json-depth.ts';
import type { ExportedMessage, ExportedSession, PlainSession } from '../../contract/sessions.ts';
import { mergeAttributes } from './attributes.ts';

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
  if (message.role !== 'delegation' && message.text !== textOf(message))
    issues.push(`${place}.text must match the text of its parts`);
  return issues;
}

function textOf(message: ExportedMessage): string {
  return message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
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

import type { z } from 'zod';
import { AppError } from '../../contract/errors.ts';
import { DEFAULT_SENDER } from '../../contract/names.ts';
import { ExportedSession, PlainSession } from '../../contract/sessions.ts';
import { checkExported, checkPlain } from './import-check.ts';
import { describeIssue } from './import-issues.ts';
import { toTitle } from './views.ts';

const MAX_DEPTH = 64;
const MAX_ISSUES = 20;

/** An export of Parley's own or a plain session file, checked and in the one form that is stored. */
export function readImport(body: unknown, messageBytes: number): ExportedSession {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw importInvalid(['the file must be a JSON object']);
  }
  if (isDeeper(body, MAX_DEPTH)) throw importInvalid([`the file is nested more than ${MAX_DEPTH} levels deep`]);
  if (Object.hasOwn(body, 'format')) {
    const file = parse(ExportedSession, body);
    assertNone(checkExported(file, messageBytes));
    return file;
  }
  const file = parse(PlainSession, body);
  assertNone(checkPlain(file, messageBytes));
  return fromPlain(file, new Date().toISOString());
}

function parse<T>(schema: z.ZodType<T>, body: unknown): T {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  throw importInvalid(result.error.issues.map((issue) => describeIssue(issue, body)));
}

function assertNone(issues: string[]): void {
  if (issues.length > 0) throw importInvalid(issues);
}

function importInvalid(issues: string[]): AppError {
  const [first, ...rest] = issues;
  const more = rest.length > 0 ? ` (and ${rest.length} more)` : '';
  return new AppError('import_invalid', `This file cannot be imported: ${first}${more}. Nothing was written.`, {
    issues: issues.slice(0, MAX_ISSUES),
  });
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((item) => isDeeper(item, levels - 1));
}

/**
 * An old file names its agent once: that agent is the primary, and messages that do not say who spoke stay untagged. In
 * a new file everyone was asked by name, and naming an agent makes it the primary from then on: it is the last speaker.
 * Such files hold no times; the order is theirs, the time that of the import.
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

import { parentPort, workerData } from 'node:worker_threads';
import { withoutContextLine } from '../../contract/context-line.ts';
import { AppError } from '../../contract/errors.ts';
import type { SearchHit } from '../../contract/sessions.ts';
import { speakerOf } from '../../contract/speakers.ts';
import { say } from '../../contract/texts.ts';
import { describeStorageFailure } from '../storage/failure.ts';
import { makeSnippet, type Pattern, toPatterns } from './search-snippet.ts';
import {
  type FoundMessage,
  MessageIndex,
  type SearchAnswer,
  type SearchFailure,
  type SearchPlan,
  type SearchReply,
  SearchTooSlowError,
  TOO_SLOW,
} from './search-store.ts';

const { file } = workerData as { file: string };
let index: MessageIndex | undefined;

parentPort!.on('message', (plan: SearchPlan) => parentPort!.postMessage(reply(plan)));

function reply(plan: SearchPlan): SearchReply {
  try {
    index ??= new MessageIndex(file);
    return { answer: answer(index, plan) };
  } catch (error) {
    return { failure: describe(error) };
  }
}

function answer(messages: MessageIndex, plan: SearchPlan): SearchAnswer {
  const patterns = toPatterns(plan.search.terms);
  const found: SearchAnswer = { hits: [], rids: [] };
  for (const row of messages.find(plan)) {
    found.hits.push(toHit(row, patterns));
    found.rids.push(row.rid);
  }
  return found;
}

function toHit(row: FoundMessage, patterns: readonly Pattern[]): SearchHit {
  const speaker = speakerOf({ role: row.role, agent: row.agent_id, from: row.asker });
  return {
    sessionId: row.session_id,
    sessionTitle: row.session_title,
    messageId: row.id,
    seq: row.seq,
    role: row.role,
    agent: speaker.agent,
    speaker,
    ...makeSnippet(withoutContextLine(row.text), patterns),
    createdAt: new Date(row.created_at).toISOString(),
  };
}

function describe(error: unknown): SearchFailure {
  if (error instanceof SearchTooSlowError) return TOO_SLOW;
  const described = describeStorageFailure(error);
  if (described instanceof AppError) {
    const { code, message, text } = described;
    return { code, message: text ? { ...text, message } : message };
  }
  return { code: 'internal_error', message: say('internal_error') };
}

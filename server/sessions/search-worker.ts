import { parentPort, workerData } from 'node:worker_threads';
import { withoutContextLine } from '../../contract/context-line.ts';
import type { SearchHit } from '../../contract/sessions.ts';
import { speakerOf } from '../../contract/speakers.ts';
import { describeQueryFailure } from '../storage/query-failure.ts';
import type { QueryReply } from '../storage/query-thread.ts';
import { makeSnippet, type Pattern, toPatterns } from './search-snippet.ts';
import { type FoundMessage, MessageIndex, type SearchAnswer, type SearchPlan } from './search-store.ts';

const { file } = workerData as { file: string };
let index: MessageIndex | undefined;

parentPort!.on('message', (plan: SearchPlan) => parentPort!.postMessage(reply(plan)));

function reply(plan: SearchPlan): QueryReply<SearchAnswer> {
  try {
    index ??= new MessageIndex(file);
    return { answer: answer(index, plan) };
  } catch (error) {
    return { failure: describeQueryFailure(error) };
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
  const speaker = speakerOf({ role: row.role, agent: row.agent_id, from: row.asker, webhook: row.webhook });
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

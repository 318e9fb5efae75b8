import { parentPort, workerData } from 'node:worker_threads';
import type { KnowledgeHit, KnowledgePlace } from '../../contract/knowledge.ts';
import { knowledgeCitation, knowledgePath } from '../../contract/knowledge-places.ts';
import { matchesIn } from '../sessions/search-snippet.ts';
import { describeQueryFailure } from '../storage/query-failure.ts';
import type { QueryReply } from '../storage/query-thread.ts';
import { type FoundRow, KnowledgeIndex, type KnowledgePlan, type RankedPassage } from './index-store.ts';

const { file } = workerData as { file: string };
let index: KnowledgeIndex | undefined;

parentPort!.on('message', (plan: KnowledgePlan) => parentPort!.postMessage(reply(plan)));

function reply(plan: KnowledgePlan): QueryReply<KnowledgeHit[]> {
  try {
    index ??= new KnowledgeIndex(file);
    return { answer: index.find(plan).map(({ ranked, row }) => toHit(ranked, row, plan)) };
  } catch (error) {
    return { failure: describeQueryFailure(error) };
  }
}

function toHit({ byWords, byMeaning }: RankedPassage, row: FoundRow, { terms }: KnowledgePlan): KnowledgeHit {
  const place = JSON.parse(row.place) as KnowledgePlace;
  const { source_id: sourceId, name, number, text } = row;
  return {
    sourceId,
    name,
    number,
    place,
    text,
    link: knowledgePath(sourceId, number),
    citation: knowledgeCitation({ sourceId, name }, { number, place }),
    matches: matchesIn(text, [...terms.wanted, ...terms.words]),
    foundBy: [...(byWords ? (['words'] as const) : []), ...(byMeaning ? (['meaning'] as const) : [])],
  };
}

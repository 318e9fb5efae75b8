import { say } from '../../contract/texts.ts';
import { searchWords } from '../storage/search-words.ts';
import type { Db, KnowledgeSourceRow } from '../storage/tables.ts';
import type { FoundPassage } from './extract/protocol.ts';
import { indexLast, insertPassage } from './passage-store.ts';
import { ReadFailure } from './problems.ts';
import { sourceTags } from './search-terms.ts';

export interface Room {
  readonly perSource: number;
  /** Passages of all other sources, those that are being read included. */
  readonly others: number;
  readonly perUser: number;
}

/** What has been stored of a source so far. */
export class Reading {
  readonly source: KnowledgeSourceRow;
  readonly generation: number;
  count = 0;
  characters = 0;

  constructor(source: KnowledgeSourceRow) {
    this.source = source;
    this.generation = source.generation + 1;
  }

  async store(db: Db, passages: readonly FoundPassage[], room: Room): Promise<void> {
    const { id, name, owner } = this.source;
    let { count, characters } = this;
    for (const { text, place } of passages) {
      count += 1;
      characters += text.length;
      const row = { source_id: id, generation: this.generation, number: count, place: JSON.stringify(place), text };
      await insertPassage(db, row);
      await indexLast(db, searchWords([name, ...place.headings, text].join('\n')), sourceTags(owner, id));
    }
    assertRoom(count, room);
    [this.count, this.characters] = [count, characters];
  }
}

function assertRoom(count: number, { perSource, others, perUser }: Room): void {
  if (count > perSource) throw new ReadFailure(say('knowledge_problem.too_long', { limit: perSource }));
  if (others + count > perUser) throw new ReadFailure(say('knowledge_problem.full', { limit: perUser }));
}

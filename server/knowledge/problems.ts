import type { Limits } from '../../contract/config.ts';
import type { KnowledgeProblem } from '../../contract/knowledge.ts';
import { say, type Text, toTextRef } from '../../contract/texts.ts';
import type { KnowledgeSourceRow } from '../storage/tables.ts';
import type { ExtractReply } from './extract/protocol.ts';

/** Why a source could not be read; what it is to be told. */
export class ReadFailure extends Error {
  readonly text: Text;

  constructor(text: Text) {
    super(text.message);
    this.text = text;
  }
}

/** `knowledge_unreadable` and the like: stable, for programs. */
export function toProblem(text: Text): KnowledgeProblem {
  return { code: text.key.replace('problem.', ''), message: text.message, text: toTextRef(text) };
}

export function readProblem({ problem }: Pick<KnowledgeSourceRow, 'problem'>): KnowledgeProblem | null {
  return problem === null ? null : (JSON.parse(problem) as KnowledgeProblem);
}

type Failed = Extract<ExtractReply, { type: 'failed' }>;

export function problemInFile({ problem, pages }: Failed, name: string, limits: Limits): Text {
  switch (problem) {
    case 'too_many_pages':
      return say('knowledge_problem.too_many_pages', { pages: pages ?? 0, limit: limits.knowledgePages });
    case 'encoding':
      return say('knowledge_format_unknown.encoding', { name });
    case 'encrypted':
    case 'no_text':
    case 'too_much_memory':
    case 'unreadable':
      return say(`knowledge_problem.${problem}`);
    default:
      return problem satisfies never;
  }
}

import type { KnowledgeFormat, KnowledgePlace } from '../../../contract/knowledge.ts';

/** What the process that reads a file is told. */
export interface ExtractRequest {
  /** The process that waits for the answer. */
  readonly serverPid: number;
  readonly file: string;
  readonly format: KnowledgeFormat;
  readonly pages: number;
  readonly memoryBytes: number;
}

export interface FoundPassage {
  readonly place: KnowledgePlace;
  readonly text: string;
}

/** Why a file cannot be read: the cases of `knowledge_problem` that its contents are to blame for. */
export type ExtractProblem = 'encrypted' | 'no_text' | 'too_many_pages' | 'too_much_memory' | 'unreadable' | 'encoding';

/** One line of what it says. The last one is `done` or `failed`. */
export type ExtractReply =
  | { readonly type: 'passages'; readonly passages: readonly FoundPassage[]; readonly fraction: number }
  | { readonly type: 'done'; readonly pages: number | null }
  | { readonly type: 'failed'; readonly problem: ExtractProblem; readonly pages?: number };

export class ExtractFailure extends Error {
  readonly problem: ExtractProblem;
  readonly pages: number | undefined;

  constructor(problem: ExtractProblem, pages?: number) {
    super(problem);
    this.problem = problem;
    this.pages = pages;
  }
}

/** A line of text, and where in its file it is. */
export interface PlacedLine {
  readonly text: string;
  readonly place: KnowledgePlace;
  /** How much of the file has been read with it. */
  readonly fraction: number;
}

export const NO_PLACE: KnowledgePlace = { page: null, headings: [], lines: null };

import type { DelegationFilter, DelegationRequest } from './agent.ts';
import { FromTagFilter } from './prompt/from-tag.ts';

/** What an agent says, as it is shown: without `<from>` tags, and without the `<delegate>` tags that are followed. */
export class AnswerText {
  readonly #fromTags = new FromTagFilter();
  readonly #delegations: DelegationFilter | null;

  /** Without a filter, `<delegate>` tags are plain text. */
  constructor(delegations: DelegationFilter | null) {
    this.#delegations = delegations;
  }

  /** What can be shown by now. The rest may be the beginning of a tag. */
  push(piece: string): string {
    const text = this.#fromTags.push(piece);
    return this.#delegations ? this.#delegations.push(text) : text;
  }

  /** What was held back, once nothing more comes. */
  end(): string {
    const text = this.#fromTags.end();
    return this.#delegations ? this.#delegations.push(text) + this.#delegations.end() : text;
  }

  /** What was delegated since the last time. */
  take(): DelegationRequest[] {
    return this.#delegations?.take() ?? [];
  }
}

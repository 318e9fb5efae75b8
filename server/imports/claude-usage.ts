import type { Usage } from '../../contract/turns.ts';
import type { ClaudeRecord } from './claude-records.ts';

type ClaudeCounts = NonNullable<NonNullable<ClaudeRecord['message']>['usage']>;

/** Every record of an answer repeats its usage: each answer counts once, with what its last record says. */
export class ClaudeUsage {
  readonly #byAnswer = new Map<string, ClaudeCounts>();
  #cost: number | undefined;
  #model: string | undefined;

  note({ type, uuid, message, totalCostUSD }: ClaudeRecord): void {
    if (totalCostUSD !== undefined) this.#cost = totalCostUSD;
    if (type !== 'assistant' || !message?.usage || message.model === '<synthetic>') return;
    this.#model = message.model ?? this.#model;
    this.#byAnswer.set(message.id ?? uuid ?? '', message.usage);
  }

  get total(): Usage | null {
    const counts = [...this.#byAnswer.values()];
    if (counts.length === 0) return null;
    const sum = (of: (each: ClaudeCounts) => number) => counts.reduce((total, each) => total + of(each), 0);
    const cached = sum((each) => each.cache_read_input_tokens);
    return {
      inputTokens: sum((each) => each.input_tokens + each.cache_creation_input_tokens) + cached,
      outputTokens: sum((each) => each.output_tokens),
      cachedInputTokens: cached,
      ...(this.#model !== undefined && { model: this.#model }),
      ...(this.#cost !== undefined && { cost: this.#cost }),
    };
  }
}

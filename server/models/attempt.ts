import type { ModelEvent, ModelFailureCode, ModelRequest } from './types.ts';

/**
 * One try at one provider. Timers, retries and messages for people are the guard's part.
 *
 * Each batch is what became readable at once. An empty batch says "something happened that is not yours to see" and
 * keeps the idle timer quiet; pings give no batch at all. The last event of the last batch is `end`. A failure is
 * thrown, best as a `ProviderFault`.
 */
export type Attempt = (request: ModelRequest, signal: AbortSignal) => AsyncIterator<readonly ModelEvent[], void>;

/** Where a provider's API is, and which of its models is meant. */
export interface Endpoint {
  /** With the version, without a slash at the end: the paths of the API are appended to it. */
  base: URL;
  model: string;
  /** Empty when none is needed. */
  apiKey: string;
  maxEventBytes: number;
  /** Instead of the network. */
  fetch?: typeof fetch;
}

/** Who is being called, for the words of a failure. */
export interface Target {
  /** As a person knows it: "OpenAI", "the model server". */
  name: string;
  /** Scheme, host and port only; empty when nothing is called over the network. */
  origin: string;
  /** Must never appear in a message. */
  secrets: readonly string[];
}

export interface FaultFacts {
  /** Set when we already know what it is. */
  code?: ModelFailureCode;
  /** The provider's HTTP status, or what its in-stream error amounts to. */
  status?: number;
  headers?: Readonly<Record<string, string | undefined>>;
  /** What the provider answered, as it came: JSON, HTML, anything. */
  body?: string;
  cause?: unknown;
}

export class ProviderFault extends Error {
  readonly facts: FaultFacts;

  constructor(message: string, facts: FaultFacts = {}) {
    super(message, { cause: facts.cause });
    this.name = 'ProviderFault';
    this.facts = facts;
  }
}

import type { LanguageModelV4StreamPart, SharedV4ProviderOptions } from '@ai-sdk/provider';

/** The kinds of providers that want something back with the tool calls they asked for. */
export type OpaqueProvider = 'anthropic' | 'openai' | 'openai-compatible';

/** How an answer was put together: what was thought, word for word and signed, and where between its text and calls. */
export type OpaquePart =
  | { kind: 'reasoning'; text: string; options: SharedV4ProviderOptions }
  | { kind: 'text'; length: number }
  | { kind: 'call' };

interface Opaque {
  provider: OpaqueProvider;
  parts: OpaquePart[];
}

/** The parts of an answer of this kind of provider; undefined when another provider or none made them. */
export function opaqueParts(value: unknown, provider: OpaqueProvider): readonly OpaquePart[] | undefined {
  const opaque = value as Partial<Opaque> | null | undefined;
  return opaque?.provider === provider && Array.isArray(opaque.parts) ? opaque.parts : undefined;
}

/** What makes thoughts worth sending back: without it they are refused or dropped. */
const SEALS = ['signature', 'redactedData', 'reasoningEncryptedContent'];

type ReasoningPart = Extract<OpaquePart, { kind: 'reasoning' }>;

/** Watches an answer and remembers what its tool calls need. */
export class OpaqueNotes {
  readonly #provider: OpaqueProvider;
  readonly #parts: OpaquePart[] = [];
  readonly #reasoning = new Map<string, ReasoningPart>();
  #isSealed = false;
  #hasCalls = false;

  constructor(provider: OpaqueProvider) {
    this.#provider = provider;
  }

  note(part: LanguageModelV4StreamPart): void {
    switch (part.type) {
      case 'reasoning-start':
      case 'reasoning-end':
        this.#think(part.id, '', part.providerMetadata);
        break;
      case 'reasoning-delta':
        this.#think(part.id, part.delta, part.providerMetadata);
        break;
      case 'text-delta':
        this.#say(part.delta.length);
        break;
      case 'tool-call':
        this.#hasCalls = true;
        this.#parts.push({ kind: 'call' });
    }
  }

  /** Undefined when nothing has to go back. */
  take(): Opaque | undefined {
    return this.#hasCalls && this.#isSealed ? { provider: this.#provider, parts: this.#parts } : undefined;
  }

  #think(id: string, text: string, options: SharedV4ProviderOptions = {}): void {
    const part = this.#reasoning.get(id) ?? this.#begin(id);
    part.text += text;
    for (const [name, values] of Object.entries(options)) {
      part.options[name] = { ...part.options[name], ...values };
      this.#isSealed ||= SEALS.some((seal) => typeof values[seal] === 'string');
    }
  }

  #begin(id: string): ReasoningPart {
    const part: ReasoningPart = { kind: 'reasoning', text: '', options: {} };
    this.#reasoning.set(id, part);
    this.#parts.push(part);
    return part;
  }

  #say(length: number): void {
    const last = this.#parts.at(-1);
    if (last?.kind === 'text') last.length += length;
    else this.#parts.push({ kind: 'text', length });
  }
}

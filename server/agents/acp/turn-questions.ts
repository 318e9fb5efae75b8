import { randomUUID } from 'node:crypto';
import type { CreateElicitationRequest, CreateElicitationResponse } from '@agentclientprotocol/sdk';
import { askForm, type FormSchema } from '../../tools/ask-form.ts';
import type { TurnHost } from '../agent.ts';

const CANCELLED: CreateElicitationResponse = { action: 'cancel' };

/** What a program asks the person, as a form. A guest asks nothing. */
export class TurnQuestions {
  readonly #host: TurnHost;
  readonly #textOnly: boolean;
  readonly #cancelled = Promise.withResolvers<CreateElicitationResponse>();
  #pending = 0;

  constructor(host: TurnHost, textOnly: boolean) {
    this.#host = host;
    this.#textOnly = textOnly;
  }

  get isWaiting(): boolean {
    return this.#pending > 0;
  }

  /** Every question that waits is answered with `cancel`, and so is every later one. */
  cancel(): void {
    this.#cancelled.resolve(CANCELLED);
  }

  async answer(request: CreateElicitationRequest): Promise<CreateElicitationResponse> {
    if (this.#textOnly || !isForm(request)) return CANCELLED;
    this.#pending += 1;
    try {
      const asked = this.#ask(request.message, withoutNulls(request.requestedSchema) as FormSchema);
      return await Promise.race([asked, this.#cancelled.promise]);
    } finally {
      this.#pending -= 1;
    }
  }

  /** The turn may end while the person is asked. */
  async #ask(message: string, { properties = {}, ...schema }: FormSchema): Promise<CreateElicitationResponse> {
    const ask = (question: Parameters<TurnHost['ask']>[1]) => this.#host.ask(randomUUID(), question);
    const answer = await askForm(ask, message, { ...schema, properties }).catch(() => null);
    if (answer === null) return CANCELLED;
    return answer.action === 'cancel' ? { action: 'cancel', _meta: { reason: answer.reason } } : answer;
  }
}

type Form = Extract<CreateElicitationRequest, { mode: 'form'; requestedSchema: object }>;

function isForm(request: CreateElicitationRequest): request is Form {
  return request.mode === 'form' && typeof request.requestedSchema === 'object' && request.requestedSchema !== null;
}

/** The protocol takes a null for a field that is left out. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const given = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(given.map(([name, inner]) => [name, withoutNulls(inner)]));
}

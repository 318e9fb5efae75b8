import type { Transformer, TransformStreamDefaultController } from 'node:stream/web';
import { ProviderFault } from './attempt.ts';
import { tooLarge } from './sse.ts';

/**
 * `fetch` for the AI SDK, which would collect one event of any size: the body fails once an event passes the limit.
 * A redirect is an answer like any other: followed, it would carry the key to another origin.
 */
export function boundedFetch(maxEventBytes: number): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, redirect: 'manual' });
    if (!response.ok || !response.body) return response;
    if (isPage(response)) throw await pageFault(response);
    const body = response.body.pipeThrough(new TransformStream(new EventBound(maxEventBytes)));
    return new Response(body, { status: response.status, statusText: response.statusText, headers: response.headers });
  };
}

const MOST_PAGE_CHARACTERS = 20_000;

/** A web page instead of an answer: the address is that of something else, and trying again does not change it. */
function isPage({ headers }: Response): boolean {
  return /^\s*text\/html\b/i.test(headers.get('content-type') ?? '');
}

async function pageFault(response: Response): Promise<ProviderFault> {
  const body = (await response.text()).slice(0, MOST_PAGE_CHARACTERS);
  return new ProviderFault(`answered ${response.status} with a web page`, { status: response.status, body });
}

const LF = 10;
const CR = 13;

/** Counts the bytes since the last blank line. */
class EventBound implements Transformer<Uint8Array, Uint8Array> {
  readonly #limit: number;
  #size = 0;
  #lineIsEmpty = true;

  constructor(limit: number) {
    this.#limit = limit;
  }

  transform(chunk: Uint8Array, controller: TransformStreamDefaultController<Uint8Array>): void {
    this.#size = this.#sizeAfter(chunk);
    if (this.#size > this.#limit) controller.error(tooLarge(this.#limit));
    else controller.enqueue(chunk);
  }

  #sizeAfter(chunk: Uint8Array): number {
    let size = this.#size;
    let from = 0;
    for (let at = chunk.indexOf(LF); at !== -1; at = chunk.indexOf(LF, from)) {
      size = this.#isBlank(chunk, from, at) ? 0 : size + at - from;
      if (size > this.#limit) return size;
      this.#lineIsEmpty = true;
      from = at + 1;
    }
    if (from < chunk.length) this.#lineIsEmpty = false;
    return size + chunk.length - from;
  }

  #isBlank(chunk: Uint8Array, from: number, at: number): boolean {
    return this.#lineIsEmpty && (at === from || (at === from + 1 && chunk[from] === CR));
  }
}

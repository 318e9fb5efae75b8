import type { Client } from '@modelcontextprotocol/client';
import type { Offer } from './accepted.ts';
import { type Definition, type HashedDefinition, hashDefinition } from './definition.ts';
import { hasUnseenNames, plainText } from './plain-text.ts';

export interface ReadOffer {
  readonly offer: Offer;
  /** What was left out, and why. */
  readonly issues: readonly string[];
}

const MOST_PAGES = 64;
const MOST_TOOLS = 500;
/** Of all definitions together. */
const MOST_BYTES = 1_000_000;

/** What a server offers at this moment. Of two tools with one name the first counts. */
export async function readOffer(client: Client, timeoutMs: number): Promise<ReadOffer> {
  const reading = new Reading();
  let cursor: string | undefined;
  if (!client.getServerCapabilities()?.tools) return reading;
  for (let page = 0; page < MOST_PAGES; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const { tools, nextCursor } = await client.request({ method: 'tools/list', params }, { timeout: timeoutMs });
    for (const tool of tools) reading.take(tool);
    if (nextCursor === undefined || nextCursor === cursor || reading.isFull) break;
    cursor = nextCursor;
  }
  return reading;
}

class Reading implements ReadOffer {
  readonly offer = new Map<string, HashedDefinition>();
  readonly issues: string[] = [];
  #bytes = 0;
  isFull = false;

  take(tool: Definition): void {
    if (tool.name === '' || this.offer.has(tool.name) || this.isFull) return;
    try {
      const hashed = hashDefinition(tool);
      if (hasUnseenNames(hashed.definition.inputSchema))
        throw new Error('names of its arguments contain invisible characters');
      this.#add(hashed);
    } catch (error) {
      this.issues.push(`${plainText(tool.name, 64)} was skipped: ${(error as Error).message}.`);
    }
  }

  #add(hashed: HashedDefinition): void {
    this.#bytes += JSON.stringify(hashed.definition).length;
    this.isFull = this.offer.size === MOST_TOOLS || this.#bytes > MOST_BYTES;
    if (this.isFull) this.issues.push(`It offers too many tools; only ${this.offer.size} are used.`);
    else this.offer.set(hashed.definition.name, hashed);
  }
}

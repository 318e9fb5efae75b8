import type { Client } from '@modelcontextprotocol/client';
import type { Offer } from './accepted.ts';
import { type HashedDefinition, hashDefinition } from './definition.ts';
import { plainText } from './plain-text.ts';

export interface ReadOffer {
  readonly offer: Offer;
  /** What was left out, and why. */
  readonly issues: readonly string[];
}

const MOST_PAGES = 64;
const MOST_TOOLS = 500;

/** What a server offers at this moment. Of two tools with one name the first counts. */
export async function readOffer(client: Client, timeoutMs: number): Promise<ReadOffer> {
  const offer = new Map<string, HashedDefinition>();
  const issues: string[] = [];
  if (!client.getServerCapabilities()?.tools) return { offer, issues };
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const { tools, nextCursor } = await client.request({ method: 'tools/list', params }, { timeout: timeoutMs });
    for (const tool of tools) take(offer, issues, tool);
    if (nextCursor === undefined || nextCursor === cursor || offer.size >= MOST_TOOLS) break;
    cursor = nextCursor;
  }
  if (offer.size >= MOST_TOOLS) issues.push(`Of its tools only ${MOST_TOOLS} are taken.`);
  return { offer, issues };
}

type ListedTool = Parameters<typeof hashDefinition>[0];

function take(offer: Map<string, HashedDefinition>, issues: string[], tool: ListedTool): void {
  if (tool.name === '' || offer.has(tool.name) || offer.size >= MOST_TOOLS) return;
  try {
    offer.set(tool.name, hashDefinition(tool));
  } catch (error) {
    issues.push(`${plainText(tool.name, 64)} is left out: ${(error as Error).message}.`);
  }
}

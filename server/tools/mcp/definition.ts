import { createHash } from 'node:crypto';
import { canonicalJson } from '../canonical-json.ts';

/** What an agent is told of a tool, and what calling it means: as its server says it. */
export interface Definition {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly annotations?: Readonly<Record<string, unknown>> | undefined;
}

/** With a hash that is the same exactly as long as nothing in it changes. */
export interface HashedDefinition {
  readonly definition: Definition;
  readonly hash: string;
}

const MOST_BYTES = 64_000;

/** Takes what counts from what a server sent. Throws when it is more than any tool needs. */
export function hashDefinition({ name, title, description, inputSchema, annotations }: Definition): HashedDefinition {
  const definition = { name, title, description, inputSchema, annotations };
  const text = canonicalJson(definition);
  if (Buffer.byteLength(text) > MOST_BYTES) throw new Error(`its description is larger than ${MOST_BYTES} bytes`);
  return { definition: JSON.parse(text), hash: sha256(text) };
}

/** Of all tools that a server offers, in whatever order. */
export function hashOffer(offer: Iterable<HashedDefinition>): string {
  const lines = Array.from(offer, ({ definition, hash }) => JSON.stringify([definition.name, hash]));
  return sha256(lines.sort().join('\n'));
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { KnownAgentRow } from '../storage/tables.ts';

/** What of a configured agent tells whether it is the one that was known before. */
export interface DefinedAgent {
  readonly version: string;
  readonly source: string;
  readonly definition: object;
  /** Why the definition in its file is not the one in force. */
  readonly problem: string | null;
}

/** The row of an agent as it is defined now. */
export async function toKnown(home: string, agentId: string, agent: DefinedAgent): Promise<KnownAgentRow> {
  const { version, source, definition } = agent;
  const file = await identityOf(path.join(home, source));
  return { agent_id: agentId, version, source, file, definition: JSON.stringify(definition) };
}

/**
 * Whether a definition that changed on disk is that of the same agent. In a file that was edited in place it is. Many
 * editors write a new file instead, which looks like a file that was deleted and made anew: then at least half of the
 * words must have stayed. Lists, approvals and the model say nothing about which agent it is.
 */
export function isSameAgent(before: KnownAgentRow, now: KnownAgentRow): boolean {
  if (before.version === now.version || before.file === now.file) return true;
  const [one, other] = [wordsIn(before.definition), wordsIn(now.definition)];
  const shared = countShared(one, other);
  return shared > 0 && shared * 2 >= Math.max(one.length, other.length);
}

/** A deleted file's number may be given to the next one, which is younger. */
async function identityOf(file: string): Promise<string> {
  const found = await stat(file, { bigint: true }).catch(() => undefined);
  return found ? `${found.ino}.${found.birthtimeNs}` : '';
}

const TEXTS = ['displayName', 'description', 'systemPrompt', 'welcomeMessage', 'extends'] as const;

function wordsIn(json: string): string[] {
  const definition = JSON.parse(json);
  const texts = TEXTS.map((field) => definition[field] ?? '').join(' ');
  return texts.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

function countShared(one: readonly string[], other: readonly string[]): number {
  const left = new Map<string, number>();
  for (const word of one) left.set(word, (left.get(word) ?? 0) + 1);
  let shared = 0;
  for (const word of other) {
    const count = left.get(word) ?? 0;
    if (count > 0) shared += 1;
    left.set(word, count - 1);
  }
  return shared;
}

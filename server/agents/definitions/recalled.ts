import { AgentDefinition } from '../../../contract/agents.ts';
import type { Entry } from './entries.ts';
import type { JsonObject } from './json.ts';
import { REDACTED, secretsOf } from './secrets.ts';

/** The definition that an agent had when its file was last without errors. */
export interface Recalled {
  readonly agent_id: string;
  readonly source: string;
  /** JSON. */
  readonly definition: string;
}

/** None for a definition whose key was written out, since the key is not kept, or that is not valid any more. */
export function toEntry({ agent_id: id, source, definition }: Recalled): Entry[] {
  const parsed = AgentDefinition.safeParse(JSON.parse(definition));
  if (!parsed.success || secretsOf(parsed.data).some(({ value }) => value === REDACTED)) return [];
  const { agentId: _, ...fields } = parsed.data;
  return [{ kind: 'agent', id, source, place: { file: source, path: [] }, raw: fields as JsonObject, fields }];
}

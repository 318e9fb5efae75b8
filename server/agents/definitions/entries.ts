import type { AgentPatch } from '../../../contract/agents.ts';
import type { JsonObject } from './json.ts';
import type { Place } from './place.ts';

/** One definition, and where it was written. */
export interface Entry {
  readonly kind: 'agent' | 'template';
  readonly id: string;
  /** The file, relative to the data folder; `built-in` for templates that come with Parley. */
  readonly source: string;
  readonly place: Place;
  /** As it stands in the file, which is what a version is made of. */
  readonly raw: JsonObject;
  /** Its fields, validated, without its id. */
  readonly fields: AgentPatch;
}

export const BUILT_IN = 'built-in';

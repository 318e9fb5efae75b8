import type { AgentPatch } from '../../../contract/agents.ts';
import type { ConfigPath } from './config-path.ts';
import type { JsonObject } from './json.ts';

/** One definition, and where it was written. */
export interface Entry {
  readonly kind: 'agent' | 'template';
  readonly id: string;
  /** The file, relative to the data folder; `built-in` for templates that come with Parley. */
  readonly source: string;
  readonly place: ConfigPath;
  /** As it stands in the file, which is what a version is made of. */
  readonly raw: JsonObject;
  /** Its fields, validated, without its id. */
  readonly fields: AgentPatch;
  /** Why the definition on disk is not the one in force. */
  readonly problem?: string;
  /** Nothing is known but its name: the agent is listed as unavailable. */
  readonly unusable?: boolean;
}

/** What is wrong with a definition. */
export interface EntryIssue {
  readonly entry: Entry;
  readonly text: string;
  /** It follows from an error elsewhere, which is told by itself. */
  readonly isDerived?: boolean;
}

export const BUILT_IN = 'built-in';

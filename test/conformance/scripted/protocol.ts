import type { AgentEvent } from '../../../server/agents/agent.ts';

/** The first line that the program is given: what its turn is about. */
export interface Given {
  folder: string;
  /** The message to answer: one command per line. */
  script: string;
  /** What was said since the program was last shown anything, labelled. */
  unseen: string;
  /** Everything before the message, for a program that has lost what it remembered. */
  everything: string;
  state: string | null;
  textOnly: boolean;
}

/** A line of the program's output. */
export type Said = Exclude<AgentEvent, { type: 'artifact' }> | { type: 'file'; name: string; text: string } | { type: 'throw' };

import type { Question } from '../../../contract/actions.ts';
import type { AgentEvent } from '../../../server/agents/agent.ts';
import type { OwnCall, ToolEndpoint } from '../../../server/agents/host-requests.ts';

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
  resumed: boolean;
  endpoint: ToolEndpoint;
}

/** What the program asks of the server. Its answer is a line with the same number. */
export type Asked =
  | { type: 'approve'; call: OwnCall }
  | { type: 'ask'; id: string; question: Question }
  | { type: 'work'; title: string };

export interface Reply {
  number: number;
  reply: unknown;
}

/** A line of the program's output. */
export type Said =
  | Exclude<AgentEvent, { type: 'artifact' }>
  | { type: 'file'; name: string; text: string }
  | { type: 'asked'; number: number; asked: Asked }
  | { type: 'throw' };

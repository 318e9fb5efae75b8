import type { TurnError } from '../../contract/turns.ts';
import type { AgentEnd, AgentEvent, AttachedFile, TurnHost, TurnInput } from './agent.ts';
import type { Attachments } from './attachments.ts';
import type { ResolvedAgent } from './resolved-agent.ts';

/**
 * An agent that reads text and remembers the conversation itself: a program, or an agent behind a protocol. The kind says
 * how such a conversation is opened; `runTextTurn` in `text-turn.ts` does what is the same for all of them:
 *
 *     open -> prompt -> what the agent does -> answered
 *                ^                                |
 *                +-- answers of delegates, and ---+--> close -> end
 *                    what the person added
 */
export interface TextAgent {
  readonly agent: ResolvedAgent;
  readonly attachments: Attachments;
  /** False: Parley's tools are out of its reach, so it is not told to use them. */
  readonly callsTools: boolean;
  /**
   * Opens the agent's conversation for one turn. Throws `StateLost` when the agent does not know `state` any more, and
   * `TextAgentFailure` for anything else that the person has to know.
   */
  open(opening: Opening): Promise<TextConversation>;
}

/** What a conversation is opened with. */
export interface Opening {
  /** What the agent gave as its `state` earlier; null to begin a new conversation. */
  readonly state: string | null;
  /** Who the agent is and whom it can ask: for its system prompt, or to be said first where it has none. */
  readonly instructions: string;
  readonly turn: TurnInput;
  readonly host: TurnHost;
  readonly signal: AbortSignal;
}

/** The agent's conversation, open for one turn. */
export interface TextConversation {
  /**
   * Sends a prompt, and gives what the agent does until it has answered; the return value says how that ended. Called
   * again only after the last one has returned. It may throw `StateLost` instead of the first event. Requests for the
   * person's permission are answered on the side: the events go on while a permission is waited for.
   */
  prompt(text: string): AsyncGenerator<TextEvent, AgentEnd, void>;
  /** Whether a file of the message to answer goes along as it is. Absent: images do, where the agent is shown any. */
  carries?(file: AttachedFile): boolean;
  /**
   * Adds to the prompt that the agent works on. False when it is too late: then it becomes the next prompt. Absent when the
   * agent takes nothing while it works.
   */
  steer?(text: string): Promise<boolean>;
  /** The turn is to stop: `prompt` returns soon, or the conversation is closed. */
  interrupt(): Promise<void>;
  /**
   * Called once. `broken`: the agent was not done, so what was started is stopped, and a `prompt` that has not returned
   * ends at once. Otherwise what is worth keeping until the next turn may be kept.
   */
  close(broken: boolean): Promise<void>;
}

/** What an agent does in answer to a prompt. `text` and `reasoning` are pieces, in order. */
export type TextEvent =
  | Exclude<AgentEvent, { type: 'end' | 'seen' }>
  /** Its next words are a message of their own: they stand apart from those before. */
  | { type: 'new_message' }
  /** After a restart, the answer is told from its beginning once more: what is known of it is not said again. */
  | { type: 'told_again' };

/** The agent no longer has the conversation that the `state` names. */
export class StateLost extends Error {}

/** Something that ends the turn, in words for the person. */
export class TextAgentFailure extends Error {
  readonly error: TurnError;

  constructor(error: TurnError) {
    super(error.message);
    this.name = 'TextAgentFailure';
    this.error = error;
  }
}

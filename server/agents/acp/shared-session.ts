import type { AgentDeps } from '../agent.ts';
import type { ResolvedAgent } from '../resolved-agent.ts';
import type { Opening, TextAgent, TextConversation } from '../text-agent.ts';
import { AcpConversation } from './conversation.ts';
import type { LiveSession } from './live-sessions.ts';
import { switchMode } from './modes.ts';
import { TurnClient } from './turn-client.ts';

/**
 * An agent that is a mode of its caller's ACP session: it answers there, in its mode, while the caller waits. The session
 * has seen the conversation, so it is told only the task. It returns to the caller's mode afterwards.
 */
export class SharedSession implements TextAgent {
  readonly callsTools = true;
  readonly agent: ResolvedAgent;
  readonly #deps: AgentDeps;
  readonly #caller: LiveSession;
  readonly #mode: string;

  constructor(agent: ResolvedAgent, deps: AgentDeps, caller: LiveSession, mode: string) {
    this.agent = agent;
    this.#deps = deps;
    this.#caller = caller;
    this.#mode = mode;
  }

  get attachments() {
    return this.#deps.attachments;
  }

  async open({ host }: Opening): Promise<TextConversation> {
    const { program, session, folder } = this.#caller;
    const modeBefore = session.mode;
    return new AcpConversation({
      program,
      session,
      client: new TurnClient({ deps: this.#deps, host, session, folder, textOnly: false }),
      mode: this.#mode,
      instructions: null,
      images: [],
      isKept: false,
      silenceMs: this.#deps.limits().idleMs,
      release: (broken) => (broken ? program.close() : switchMode(program, session, modeBefore)),
    });
  }
}

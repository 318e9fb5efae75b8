import type { Agent, AgentDeps, AgentEvent, TurnHost, TurnInput } from '../agent.ts';
import type { ResolvedAgent } from '../resolved-agent.ts';
import type { Opening, TextAgent, TextConversation } from '../text-agent.ts';
import { runTextTurn } from '../text-turn.ts';
import type { FetchedCard } from './peer.ts';
import type { A2aSettings } from './settings.ts';

/** An agent on another server, reached by A2A. It remembers the conversation under a `contextId` of its own. */
export class A2aAgent implements Agent, TextAgent {
  readonly callsTools = false;
  readonly traits;
  readonly agent: ResolvedAgent<A2aSettings>;
  readonly #deps: AgentDeps;

  constructor(agent: ResolvedAgent<A2aSettings>, deps: AgentDeps) {
    this.agent = agent;
    this.#deps = deps;
    const { taskMs: turnMs } = agent.settings;
    this.traits = { steers: false, ownsContext: true, ownsTools: true, reattaches: true, turnMs };
  }

  get attachments() {
    return this.#deps.attachments;
  }

  run(turn: TurnInput, host: TurnHost, signal: AbortSignal): AsyncIterable<AgentEvent> {
    return runTextTurn(this, turn, host, signal);
  }

  /** The protocol's library is large, and needed by few agents. */
  async open(opening: Opening): Promise<TextConversation> {
    const { openConversation } = await import('./conversation.ts');
    return openConversation(this.agent, this.#deps, opening);
  }

  async readCard(): Promise<FetchedCard> {
    const { readCard } = await import('./peer.ts');
    return readCard(this.agent.settings, this.#deps);
  }
}

import type { CliProvider } from '../../../contract/agent-settings.ts';
import type { Agent, AgentDeps, AgentEvent, TurnHost, TurnInput } from '../agent.ts';
import type { Attachments } from '../attachments.ts';
import type { ResolvedAgent } from '../resolved-agent.ts';
import type { Opening, TextAgent, TextConversation } from '../text-agent.ts';
import { runTextTurn } from '../text-turn.ts';
import { openClaude } from './claude/open.ts';
import { openCodex } from './codex/open.ts';
import type { CliContext } from './context.ts';
import { openPi } from './pi/open.ts';
import type { CliSettings } from './settings.ts';

type Open = (context: CliContext, opening: Opening) => Promise<TextConversation>;

const OPEN: Record<CliProvider, Open> = { 'claude-cli': openClaude, 'codex-cli': openCodex, 'pi-cli': openPi };

/** An agent that is a program on this machine. */
export class CliAgent implements Agent, TextAgent {
  readonly callsTools = true;
  readonly traits = { steers: true, ownsContext: true, ownsTools: true, reattaches: false };
  readonly agent: ResolvedAgent<CliSettings>;
  readonly attachments: Attachments;
  readonly #deps: AgentDeps;

  constructor(agent: ResolvedAgent<CliSettings>, deps: AgentDeps) {
    this.agent = agent;
    this.attachments = deps.attachments;
    this.#deps = deps;
  }

  run(turn: TurnInput, host: TurnHost, signal: AbortSignal): AsyncIterable<AgentEvent> {
    return runTextTurn(this, turn, host, signal);
  }

  open(opening: Opening): Promise<TextConversation> {
    return OPEN[this.agent.settings.provider]({ agent: this.agent, deps: this.#deps }, opening);
  }
}

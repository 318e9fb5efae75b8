import type { Limits } from '../../contract/config.ts';
import { AppError } from '../../contract/errors.ts';
import { openModel } from '../models/open.ts';
import type { Model } from '../models/types.ts';
import type { AgentAdapter, AttributedMessage, FileContents } from './adapter.ts';
import { askOnce, type Single } from './chat/ask-once.ts';
import { Attachments } from './chat/attachments.ts';
import { ChatAgent } from './chat/chat-agent.ts';
import { type Summary, summarise } from './chat/summarise.ts';
import { spellOut } from './prompt/attached-files.ts';
import type { ResolvedAgent } from './resolved-agent.ts';

/** The configuration in force at the moment of asking. */
export interface AgentSource {
  readonly agents: ReadonlyMap<string, ResolvedAgent>;
  readonly limits: Limits;
}

/** Finds agents by name and opens them. A change of configuration makes new agents, so nothing here goes stale. */
export class AgentDirectory {
  readonly #source: () => AgentSource;
  readonly #models = new WeakMap<ResolvedAgent, Model>();
  /** What is in the files that people attach. */
  readonly attachments: Attachments;

  constructor(source: () => AgentSource, files: FileContents) {
    this.#source = source;
    this.attachments = new Attachments(files);
  }

  find(agentId: string): ResolvedAgent | undefined {
    return this.#source().agents.get(agentId);
  }

  /** Refuses a name that is not configured, before anything is written. */
  require(agentId: string): ResolvedAgent {
    const agent = this.find(agentId);
    if (agent) return agent;
    throw new AppError('agent_not_found', `There is no agent ${agentId}. \`parley agents\` lists those there are.`);
  }

  open(agent: ResolvedAgent): AgentAdapter {
    return new ChatAgent(agent, this.#model(agent), this.attachments);
  }

  /** Half the window for the transcript leaves room for the instructions, the earlier summary and the answer. */
  async summarise(
    agent: ResolvedAgent,
    earlier: string | null,
    messages: readonly AttributedMessage[],
    signal: AbortSignal,
  ): Promise<Summary> {
    const { contextWindow, attachments } = agent.chat;
    const filled = await this.attachments.withTexts(messages);
    const spelled = filled.map((message) => spellOut(message, attachments));
    return summarise(this.#model(agent), earlier, spelled, Math.floor(contextWindow / 2), signal);
  }

  /** One answer in an agent's words, outside of any turn. */
  askOnce(agent: ResolvedAgent, wanted: Single, signal: AbortSignal): Promise<string> {
    return askOnce(this.#model(agent), wanted, signal);
  }

  #model(agent: ResolvedAgent): Model {
    const known = this.#models.get(agent);
    if (known) return known;
    const { provider, model, baseUrl, apiKey } = agent.chat;
    const key = apiKey();
    const settings = { provider, model, ...(baseUrl && { baseUrl }), ...(key && { apiKey: key }) };
    const opened = openModel(settings, toModelLimits(this.#source().limits));
    this.#models.set(agent, opened);
    return opened;
  }
}

function toModelLimits(limits: Limits) {
  return {
    firstTokenMs: limits.firstTokenMs,
    idleMs: limits.idleMs,
    maxAttempts: limits.modelAttempts,
    maxRetryAfterMs: limits.retryAfterMs,
    maxEventBytes: limits.modelEventBytes,
  };
}

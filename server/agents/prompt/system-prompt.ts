import { framingFor } from './framing.ts';

export interface PromptedAgent {
  readonly agentId: string;
  readonly displayName: string;
  readonly description: string;
  readonly systemPrompt: string | null;
}

/** Base prompt first, framing last: what may change from one request to the next comes after what does not. */
export function buildSystemPrompt(agent: PromptedAgent, reader: { guest: boolean; othersSpoke: boolean }): string {
  const framing = framingFor(reader);
  return framing ? `${basePrompt(agent)}\n\n${framing}` : basePrompt(agent);
}

export function basePrompt(agent: PromptedAgent): string {
  return agent.systemPrompt?.trim() || `You are ${agent.displayName}. ${agent.description}`.trim();
}

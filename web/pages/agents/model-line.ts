import type { Agent } from '../../../contract/agents.ts';

/** Who answers for an agent, on one line. */
export function modelLine({ provider, model }: Pick<Agent, 'provider' | 'model'>): string {
  return model === '' || model === provider ? provider : `${provider} · ${model}`;
}

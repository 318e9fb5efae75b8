import type { Agent } from '../../contract/agents.ts';
import { text } from '../i18n/text.ts';

const PROVIDERS: Readonly<Record<string, string>> = {
  a2a: 'A2A',
  acp: 'ACP',
  anthropic: 'Anthropic',
  'claude-cli': 'Claude Code',
  'codex-cli': 'Codex',
  openai: 'OpenAI',
  'pi-cli': 'Pi',
};

/** A provider as it calls itself; one that is not known here goes by its id. */
export function providerName(provider: string): string {
  if (provider === 'demo') return text('agents.demoProvider');
  if (provider === 'external') return text('agents.externalProvider');
  if (provider === 'openai-compatible') return text('agents.compatibleProvider');
  return PROVIDERS[provider] ?? provider;
}

/** What answers for an agent, on one line. */
export function modelLine({ provider, model }: Pick<Agent, 'provider' | 'model'>): string {
  const name = providerName(provider);
  return model === '' || model === provider ? name : `${name} · ${model}`;
}

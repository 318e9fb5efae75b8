import { say, type Text } from '../../../contract/texts.ts';
import { type OptionalSetting, unsentSettings } from '../../models/unsent-settings.ts';
import type { ResolvedAgent } from '../resolved-agent.ts';
import type { ChatSettings } from './settings.ts';

const known = new WeakMap<ResolvedAgent<ChatSettings>, Promise<OptionalSetting[]>>();

/** Settings that are configured and never sent, because the model does not take them. */
export async function unsentWarnings(agent: ResolvedAgent<ChatSettings>): Promise<Text[]> {
  const { provider, model, temperature, reasoningEffort } = agent.settings;
  const found = known.get(agent) ?? unsentSettings({ provider, model }, { temperature, reasoningEffort });
  known.set(agent, found);
  return (await found).map((name) => say(`agent_warning.${name}`, { model }));
}

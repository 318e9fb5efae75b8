import type { ChatSettings as WrittenSettings } from '../../../contract/agent-settings.ts';
import type { Limits } from '../../../contract/config.ts';
import { say, type Text } from '../../../contract/texts.ts';
import { openModel } from '../../models/open.ts';
import { type OptionalSetting, unsentSettings } from '../../models/unsent-settings.ts';
import type { AgentKind } from '../agent.ts';
import type { ResolvedAgent } from '../resolved-agent.ts';
import { ChatAgent } from './chat-agent.ts';
import { hostOf } from './key-host.ts';
import { type ChatSettings, resolveChat } from './settings.ts';
import { testChat } from './test.ts';

/** An agent whose words come from a model behind an API. */
export const chatKind: AgentKind<ChatSettings> = {
  kind: 'chat',
  type: 'chat',
  secrets: ['apiKey'],
  hostOf: (written: WrittenSettings) => hostOf(written),
  resolve: (written: WrittenSettings, env) => resolveChat(written, env),
  describe: ({ provider, model, attachments }) => ({ provider, model, attachments, steers: true }),
  test: (agent, deps) => testChat(agent.settings, deps),
  open: (agent, { attachments, limits }) => {
    const { provider, model, baseUrl, apiKey } = agent.settings;
    const key = apiKey();
    const settings = { provider, model, ...(baseUrl && { baseUrl }), ...(key && { apiKey: key }) };
    return new ChatAgent(agent, openModel(settings, toModelLimits(limits())), attachments);
  },
  warnings: unsentWarnings,
};

function toModelLimits(limits: Limits) {
  return {
    firstTokenMs: limits.firstTokenMs,
    idleMs: limits.idleMs,
    maxAttempts: limits.modelAttempts,
    maxRetryAfterMs: limits.retryAfterMs,
    maxEventBytes: limits.modelEventBytes,
  };
}

const known = new WeakMap<ResolvedAgent<ChatSettings>, Promise<OptionalSetting[]>>();

/** Settings that are configured and never sent, because the model does not take them. */
async function unsentWarnings(agent: ResolvedAgent<ChatSettings>): Promise<Text[]> {
  const { provider, model, temperature, reasoningEffort } = agent.settings;
  const found = known.get(agent) ?? unsentSettings({ provider, model }, { temperature, reasoningEffort });
  known.set(agent, found);
  return (await found).map((name) => say(`agent_warning.${name}`, { model }));
}

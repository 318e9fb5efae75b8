import type { ChatProvider, ChatSettings } from '../../../contract/agents.ts';
import { baseUrlProblem } from '../../models/base-url.ts';
import type { ResolvedChat } from '../resolved-agent.ts';
import { type Environment, expand, variable } from './environment.ts';

interface Provider {
  model: string | null;
  baseUrl: string | null;
  urlVariable: string | null;
  keyVariable: string | null;
  /** Models of these providers read images; of any other nobody knows until it is said. */
  seesImages: boolean;
}

const PROVIDERS: Record<ChatProvider, Provider> = {
  openai: {
    model: 'gpt-5.1',
    baseUrl: 'https://api.openai.com/v1',
    urlVariable: 'OPENAI_BASE_URL',
    keyVariable: 'OPENAI_API_KEY',
    seesImages: true,
  },
  'openai-compatible': {
    model: null,
    baseUrl: null,
    urlVariable: 'OPENAI_BASE_URL',
    keyVariable: null,
    seesImages: false,
  },
  anthropic: {
    model: 'claude-sonnet-4-5',
    baseUrl: 'https://api.anthropic.com/v1',
    urlVariable: 'ANTHROPIC_BASE_URL',
    keyVariable: 'ANTHROPIC_API_KEY',
    seesImages: true,
  },
  demo: { model: 'demo', baseUrl: null, urlVariable: null, keyVariable: null, seesImages: false },
};

const DEFAULT_CONTEXT_WINDOW = 128_000;
const DEFAULT_COMPACTION_THRESHOLD = 0.8;

/** A value, or what to set to get one. */
type Found = { value: string | undefined; reason?: string };

/** Fills a chat agent's settings in. What is missing makes the agent unavailable, never the configuration invalid. */
export function resolveChat(settings: ChatSettings, env: Environment): { chat: ResolvedChat; reasons: string[] } {
  const provider = settings.provider ?? 'openai';
  const model = resolveModel(provider, settings);
  const baseUrl = resolveBaseUrl(provider, settings, env);
  const apiKey = resolveKey(provider, settings, env);
  const reasons = [apiKey.reason, baseUrl.reason, model.reason].filter((reason) => reason !== undefined);
  const chat: ResolvedChat = {
    provider,
    model: model.value ?? '',
    baseUrl: baseUrl.value,
    apiKey: () => apiKey.value,
    temperature: settings.temperature ?? undefined,
    maxTokens: settings.maxTokens ?? undefined,
    reasoningEffort: settings.reasoningEffort ?? undefined,
    attachments: settings.attachments ?? (PROVIDERS[provider].seesImages ? ['text', 'image'] : ['text']),
    contextWindow: settings.contextWindow ?? DEFAULT_CONTEXT_WINDOW,
    compactionThreshold: settings.compactionThreshold ?? DEFAULT_COMPACTION_THRESHOLD,
  };
  return { chat, reasons };
}

/** Variables are not filled in here: the model's name is shown to every client, and a variable may be a key. */
function resolveModel(provider: ChatProvider, settings: ChatSettings): Found {
  const model = settings.model ?? PROVIDERS[provider].model;
  return model ? { value: model } : { value: undefined, reason: 'Set chat.model to the name of a model.' };
}

function resolveBaseUrl(provider: ChatProvider, settings: ChatSettings, env: Environment): Found {
  const { baseUrl, urlVariable } = PROVIDERS[provider];
  if (urlVariable === null) return { value: undefined };
  if (settings.baseUrl) return usableUrl(fill(settings.baseUrl, 'chat.baseUrl', env), 'chat.baseUrl');
  const fromVariable = variable(env, urlVariable);
  if (fromVariable) return usableUrl({ value: fromVariable }, urlVariable);
  if (baseUrl) return { value: baseUrl };
  return { value: undefined, reason: `Set chat.baseUrl, or ${inEnvironment([urlVariable])}.` };
}

function resolveKey(provider: ChatProvider, settings: ChatSettings, env: Environment): Found {
  if (provider === 'demo') return { value: undefined };
  if (settings.apiKey) return fill(settings.apiKey, 'chat.apiKey', env);
  const { keyVariable } = PROVIDERS[provider];
  if (keyVariable) return fill(`\${${keyVariable}}`, 'chat.apiKey', env);
  // The key of the environment belongs to the URL of the environment, not to any other host.
  return { value: settings.baseUrl ? undefined : variable(env, 'OPENAI_API_KEY') };
}

function fill(text: string, field: string, env: Environment): Found {
  const { value, missing } = expand(text, env);
  if (missing.length === 0) return { value };
  return { value: undefined, reason: `Set ${inEnvironment(missing)}, or change ${field}.` };
}

function inEnvironment(names: readonly string[]): string {
  return `${names.join(' and ')} in the environment of the server and start it again`;
}

function usableUrl(found: Found, setBy: string): Found {
  if (found.value === undefined) return found;
  if (baseUrlProblem(found.value) === undefined) return { value: found.value.replace(/\/+$/, '') };
  return { value: undefined, reason: `Set ${setBy} to an http or https URL without a user name or password.` };
}

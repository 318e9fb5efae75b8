import {
  MODEL_PROVIDERS,
  type ModelProvider,
  type ChatSettings as WrittenSettings,
} from '../../../contract/agent-settings.ts';
import type { Attachable } from '../../../contract/files.ts';
import { say, type Text } from '../../../contract/texts.ts';
import { type Environment, expand, variable } from '../../config/environment.ts';
import { baseUrlProblem } from '../../models/base-url.ts';

/** What a chat agent works with: defaults filled in, variables read. */
export interface ChatSettings {
  readonly provider: ModelProvider;
  /** Empty only for an agent that is unavailable because none is named. */
  readonly model: string;
  readonly baseUrl: string | undefined;
  /** A function, so that no log, error or answer can carry the key by accident. */
  readonly apiKey: () => string | undefined;
  readonly temperature: number | undefined;
  readonly maxTokens: number | undefined;
  readonly reasoningEffort: NonNullable<WrittenSettings['reasoningEffort']> | undefined;
  /** What it is shown of attached files besides their names. */
  readonly attachments: readonly Attachable[];
  readonly contextWindow: number;
  readonly compactionThreshold: number;
}

interface Provider {
  model: string | null;
  baseUrl: string | null;
  urlVariable: string | null;
  keyVariable: string | null;
  /** Models of these providers read images. For any other provider the configuration has to say so. */
  seesImages: boolean;
}

const PROVIDERS: Record<ModelProvider, Provider> = {
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
type Found = { value: string | undefined; reason?: Text };

/** Fills a chat agent's settings in. What is missing makes the agent unavailable, never the configuration invalid. */
export function resolveChat(settings: WrittenSettings, env: Environment): { settings: ChatSettings; problems: Text[] } {
  const provider = MODEL_PROVIDERS.find((name) => name === settings.provider) ?? 'openai';
  const model = resolveModel(provider, settings);
  const baseUrl = resolveBaseUrl(provider, settings, env);
  const apiKey = resolveKey(provider, settings, baseUrl.value, env);
  const problems = [apiKey.reason, baseUrl.reason, model.reason].filter((reason) => reason !== undefined);
  const resolved: ChatSettings = {
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
  return { settings: resolved, problems };
}

/** Variables are not filled in here: the model's name is shown to every client, and a variable may be a key. */
function resolveModel(provider: ModelProvider, settings: WrittenSettings): Found {
  const model = settings.model ?? PROVIDERS[provider].model;
  return model ? { value: model } : { value: undefined, reason: say('unavailable.model') };
}

function resolveBaseUrl(provider: ModelProvider, settings: WrittenSettings, env: Environment): Found {
  const { baseUrl, urlVariable } = PROVIDERS[provider];
  if (urlVariable === null) return { value: undefined };
  if (settings.baseUrl) return usableUrl(fill(settings.baseUrl, 'chat.baseUrl', env), 'chat.baseUrl');
  const fromVariable = variable(env, urlVariable);
  if (fromVariable) return usableUrl({ value: fromVariable }, urlVariable);
  if (baseUrl) return { value: baseUrl };
  return { value: undefined, reason: say('unavailable.baseUrl', { variable: urlVariable }) };
}

function resolveKey(
  provider: ModelProvider,
  settings: WrittenSettings,
  baseUrl: string | undefined,
  env: Environment,
): Found {
  if (provider === 'demo') return { value: undefined };
  if (settings.apiKey) return fill(settings.apiKey, 'chat.apiKey', env);
  const { keyVariable } = PROVIDERS[provider];
  // The key of the environment belongs to the provider and to the URL of the environment, not to any other host.
  if (!keyVariable) return { value: settings.baseUrl ? undefined : variable(env, 'OPENAI_API_KEY') };
  if (baseUrl !== undefined && !isHostOfEnvironment(provider, baseUrl, env))
    return { value: undefined, reason: say('unavailable.keyOfOtherHost', { variable: keyVariable }) };
  return fill(`\${${keyVariable}}`, 'chat.apiKey', env);
}

function isHostOfEnvironment(provider: ModelProvider, baseUrl: string, env: Environment): boolean {
  const { baseUrl: own, urlVariable } = PROVIDERS[provider];
  const known = [own, urlVariable && variable(env, urlVariable)].filter((url) => url && URL.canParse(url));
  return known.some((url) => new URL(url!).origin === new URL(baseUrl).origin);
}

function fill(text: string, field: string, env: Environment): Found {
  const { value, missing } = expand(text, env);
  if (missing.length === 0) return { value };
  return { value: undefined, reason: say('unavailable.variables', { variables: missing.join(', '), field }) };
}

function usableUrl(found: Found, setBy: string): Found {
  if (found.value === undefined) return found;
  if (baseUrlProblem(found.value) === undefined) return { value: found.value.replace(/\/+$/, '') };
  return { value: undefined, reason: say('unavailable.url', { field: setBy }) };
}

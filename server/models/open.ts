import type { Attempt, Endpoint, Target } from './attempt.ts';
import { anthropicBase, apiBase, baseUrlProblem } from './base-url.ts';
import { failure } from './fault.ts';
import { guard, refuse } from './guard.ts';
import type { Model, ModelFailure, ModelLimits, ModelSettings } from './types.ts';

/** The model that the settings name. What a provider needs is loaded with the first request, not before. */
export function openModel(settings: ModelSettings, limits: ModelLimits): Model {
  const problem = settingsProblem(settings);
  if (problem) return refuse(problem);
  const target = targetOf(settings);
  return guard(
    once(() => loadAttempt(settings, limits)),
    limits,
    target,
  );
}

const PROVIDERS = {
  openai: { name: 'OpenAI', baseUrl: 'https://api.openai.com/v1', keyName: 'OPENAI_API_KEY' },
  anthropic: { name: 'Anthropic', baseUrl: 'https://api.anthropic.com/v1', keyName: 'ANTHROPIC_API_KEY' },
  'openai-compatible': { name: 'the model server', baseUrl: '', keyName: '' },
  demo: { name: 'the demo model', baseUrl: '', keyName: '' },
} as const;

function settingsProblem({ provider, model, baseUrl, apiKey }: ModelSettings): ModelFailure | undefined {
  if (provider === 'demo') return undefined;
  const { name, keyName } = PROVIDERS[provider];
  const words = baseUrl ? baseUrlProblem(baseUrl) : missingBaseUrl(provider);
  if (words) return failure('model_unreachable', `${words}.`, false);
  if (model.trim() === '')
    return failure('model_not_found', `No model is set. Set "model" to a model that ${name} offers.`);
  if (keyName === '' || apiKey?.trim()) return undefined;
  const message = `${name} needs an API key. Set ${keyName} in the server's environment and restart, or change the API key.`;
  return failure('model_no_key', message, undefined, { who: name, variable: keyName });
}

function missingBaseUrl(provider: ModelSettings['provider']): string | undefined {
  if (provider !== 'openai-compatible') return undefined;
  return 'No baseUrl is set. Set it to the address of the model server, for example http://localhost:11434/v1';
}

function targetOf(settings: ModelSettings): Target {
  const { name } = PROVIDERS[settings.provider];
  const origin = settings.provider === 'demo' ? '' : baseOf(settings).origin;
  return { name, origin, secrets: settings.apiKey ? [settings.apiKey.trim()] : [] };
}

function baseOf({ provider, baseUrl }: ModelSettings): URL {
  const written = baseUrl || PROVIDERS[provider].baseUrl;
  if (provider === 'anthropic') return anthropicBase(written);
  return apiBase(written, provider === 'openai' ? '/responses' : '/chat/completions');
}

async function loadAttempt(settings: ModelSettings, limits: ModelLimits): Promise<Attempt> {
  switch (settings.provider) {
    case 'openai':
      return (await import('./openai.ts')).openaiAttempt(endpointOf(settings, limits));
    case 'anthropic':
      return (await import('./anthropic.ts')).anthropicAttempt(endpointOf(settings, limits));
    case 'openai-compatible':
      return (await import('./chat.ts')).chatAttempt(endpointOf(settings, limits));
    case 'demo':
      return (await import('./demo/model.ts')).demoAttempt(settings.model);
  }
}

function endpointOf(settings: ModelSettings, { maxEventBytes }: ModelLimits): Endpoint {
  return { base: baseOf(settings), model: settings.model, apiKey: settings.apiKey?.trim() ?? '', maxEventBytes };
}

/** Keeps what was loaded, unless loading failed. */
function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () => {
    loaded ??= load().catch((error: unknown) => {
      loaded = undefined;
      throw error;
    });
    return loaded;
  };
}

import type { Attempt, Endpoint } from './attempt.ts';
import type { ModelRequest, ModelSettings } from './types.ts';

export type OptionalSetting = 'temperature' | 'reasoningEffort';
type Wanted = { readonly [Setting in OptionalSetting]?: ModelRequest[Setting] | undefined };

/**
 * The settings that a request to this model would not carry. Which models take what is known to the libraries of their
 * providers: a request is built with them and looked at instead of being sent.
 */
export async function unsentSettings(settings: ModelSettings, wanted: Wanted): Promise<OptionalSetting[]> {
  const given = (['temperature', 'reasoningEffort'] as const).filter((name) => isGiven(wanted[name]));
  if (given.length === 0 || settings.provider === 'openai-compatible') return [];
  if (settings.provider === 'demo') return given;
  const body = await requestBody(settings, wanted);
  return body === undefined ? [] : given.filter((name) => !carries(body, name));
}

/** The effort "none" asks for nothing that could be missing. */
function isGiven(value: unknown): boolean {
  return value !== undefined && value !== 'none';
}

interface RequestBody {
  temperature?: number;
  /** OpenAI. */
  reasoning?: { effort?: string };
  /** Anthropic. */
  thinking?: { type: string };
  output_config?: { effort?: string };
}

function carries({ temperature, reasoning, thinking, output_config }: RequestBody, name: OptionalSetting): boolean {
  if (name === 'temperature') return temperature !== undefined;
  const effort = reasoning?.effort ?? output_config?.effort;
  return effort !== undefined || (thinking !== undefined && thinking.type !== 'disabled');
}

async function requestBody({ provider, model }: ModelSettings, wanted: Wanted): Promise<RequestBody | undefined> {
  let body: RequestBody | undefined;
  const fetch = async (_: unknown, init?: RequestInit) => {
    body = JSON.parse(String(init?.body));
    throw new Error('This request is only looked at.');
  };
  const endpoint = { base: new URL('http://127.0.0.1'), model, apiKey: 'none', maxEventBytes: 1, fetch };
  const attempt = await openAttempt(provider, endpoint);
  const request = { system: '', messages: [{ role: 'user', text: 'x' }], tools: [], ...wanted } as ModelRequest;
  await attempt(request, new AbortController().signal)
    .next()
    .catch(() => undefined);
  return body;
}

async function openAttempt(provider: ModelSettings['provider'], endpoint: Endpoint): Promise<Attempt> {
  if (provider === 'anthropic') return (await import('./anthropic.ts')).anthropicAttempt(endpoint);
  return (await import('./openai.ts')).openaiAttempt(endpoint);
}

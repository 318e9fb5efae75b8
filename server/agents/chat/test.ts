import { z } from 'zod';
import { say } from '../../../contract/texts.ts';
import { anthropicBase, apiBase } from '../../models/base-url.ts';
import { type GuardedAnswer, guardedFetch } from '../../tools/guarded-fetch.ts';
import { FetchFailure } from '../../tools/guarded-fetch-failure.ts';
import type { AgentDeps, Finding } from '../agent.ts';
import type { ChatSettings } from './settings.ts';

const TIMEOUT_MS = 15_000;
const MAX_LIST_BYTES = 4_000_000;

const ModelList = z.object({ data: z.array(z.object({ id: z.string() })) });

/** Asks the provider for its list of models, which costs nothing and shows whether it takes the key. */
export async function testChat(settings: ChatSettings, deps: AgentDeps): Promise<Finding[]> {
  if (settings.provider === 'demo') return [{ state: 'ok', text: say('connection.demo') }];
  const url = modelsUrl(settings);
  try {
    return judge(settings, url.host, await askForModels(settings, deps, url));
  } catch (error) {
    if (!(error instanceof FetchFailure)) throw error;
    return [{ state: 'problem', text: say('connection.unreachable', { reason: error.message }) }];
  }
}

function modelsUrl({ provider, baseUrl = '' }: ChatSettings): URL {
  const url = provider === 'anthropic' ? anthropicBase(baseUrl) : apiBase(baseUrl, '/chat/completions');
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/models`;
  return url;
}

/** The owner has named the host as that of the model, so it may be on this machine; where it redirects to may not. */
function askForModels(settings: ChatSettings, { allowedHosts }: AgentDeps, url: URL): Promise<GuardedAnswer> {
  const allowHosts = [...allowedHosts(), url.port === '' ? url.hostname : url.host];
  const limits = { maxBytes: MAX_LIST_BYTES, timeoutMs: TIMEOUT_MS };
  return guardedFetch(url, { headers: headersOf(settings), allowHosts, ...limits });
}

function headersOf({ provider, apiKey }: ChatSettings): Record<string, string> {
  const key = apiKey();
  if (provider === 'anthropic') return { 'anthropic-version': '2023-06-01', ...(key && { 'x-api-key': key }) };
  return key ? { authorization: `Bearer ${key}` } : {};
}

function judge({ model, apiKey }: ChatSettings, host: string, { status, body }: GuardedAnswer): Finding[] {
  const hasKey = apiKey() !== undefined;
  if (status === 401 || status === 403) {
    const key = hasKey ? 'connection.keyRefused' : 'connection.keyMissing';
    return [{ state: 'problem', text: say(key, { host, status }) }];
  }
  if (status >= 500) return [{ state: 'problem', text: say('connection.failed', { host, status }) }];
  const models = readModels(status, body);
  if (!models) return [{ state: 'warning', text: say('connection.modelsUnlisted', { host }) }];
  const accepted: Finding[] = hasKey ? [{ state: 'ok', text: say('connection.key', { host }) }] : [];
  return [...accepted, judgeModel(host, model, models)];
}

function readModels(status: number, body: Buffer): string[] | undefined {
  if (status !== 200) return undefined;
  try {
    return ModelList.safeParse(JSON.parse(body.toString())).data?.data.map(({ id }) => id);
  } catch {
    return undefined;
  }
}

/** Providers also know models by names that they do not list, such as one without its date. */
function judgeModel(host: string, model: string, models: readonly string[]): Finding {
  const isListed = models.some((id) => id === model || id.startsWith(`${model}-`) || id === `${model}:latest`);
  if (isListed) return { state: 'ok', text: say('connection.model', { host, model }) };
  return { state: 'warning', text: say('connection.modelUnknown', { host, model }) };
}

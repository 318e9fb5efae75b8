import { z } from 'zod';
import type { AgentDefinition } from '../../contract/agents.ts';
import { apiBase, baseUrlProblem } from '../models/base-url.ts';
import { type Environment, variable } from './environment.ts';

const OLLAMA_MS = 300;
const MODELS_MS = 1000;
const MAX_OLLAMA_AGENTS = 8;

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** What the environment could offer as agents, without those that are configured already. Keys stay variables. */
export async function discoverAgents(
  env: Environment,
  fetch: Fetch,
  configured: Iterable<string> = [],
): Promise<AgentDefinition[]> {
  const known = new Set(configured);
  const [compatible, ollama] = await Promise.all([discoverCompatible(env, fetch), discoverOllama(env, fetch)]);
  const found = [...discoverKeys(env), ...compatible, ...ollama];
  return found.filter(({ agentId }) => !known.has(agentId));
}

function discoverKeys(env: Environment): AgentDefinition[] {
  const openai: AgentDefinition = {
    agentId: 'openai',
    displayName: 'OpenAI',
    description: 'A general assistant that uses an OpenAI model.',
    extends: 'assistant',
    chat: { provider: 'openai', apiKey: '${OPENAI_API_KEY}' },
    icon: '✳️',
  };
  const claude: AgentDefinition = {
    agentId: 'claude',
    displayName: 'Claude',
    description: 'A general assistant that uses an Anthropic model.',
    extends: 'assistant',
    chat: { provider: 'anthropic', apiKey: '${ANTHROPIC_API_KEY}' },
    icon: '✴️',
  };
  return [
    ...(variable(env, 'OPENAI_API_KEY') ? [openai] : []),
    ...(variable(env, 'ANTHROPIC_API_KEY') ? [claude] : []),
  ];
}

/** The URL stays a variable too, so that key and host can only change together. */
async function discoverCompatible(env: Environment, fetch: Fetch): Promise<AgentDefinition[]> {
  const baseUrl = variable(env, 'OPENAI_BASE_URL');
  if (!baseUrl || baseUrlProblem(baseUrl)) return [];
  const key = variable(env, 'OPENAI_API_KEY');
  const model = variable(env, 'OPENAI_MODEL') ?? (await firstModel(baseUrl, key, fetch));
  const agent: AgentDefinition = {
    agentId: 'openai-compatible',
    displayName: 'OpenAI-compatible',
    description: 'A general assistant that uses the model server at OPENAI_BASE_URL.',
    extends: 'assistant',
    chat: {
      provider: 'openai-compatible',
      ...(model ? { model } : {}),
      baseUrl: '${OPENAI_BASE_URL}',
      ...(key ? { apiKey: '${OPENAI_API_KEY}' } : {}),
    },
    icon: '🔌',
  };
  return [agent];
}

const ModelList = z.object({ data: z.array(z.object({ id: z.string().min(1).max(256) })) });

async function firstModel(baseUrl: string, key: string | undefined, fetch: Fetch): Promise<string | undefined> {
  const url = `${apiBase(baseUrl, '/chat/completions').href.replace(/\/$/, '')}/models`;
  const headers: Record<string, string> = key ? { authorization: `Bearer ${key}` } : {};
  const list = ModelList.safeParse(await ask(url, headers, MODELS_MS, fetch));
  return list.data?.data[0]?.id;
}

const OllamaTags = z.object({ models: z.array(z.object({ name: z.string().min(1).max(256) })) });

async function discoverOllama(env: Environment, fetch: Fetch): Promise<AgentDefinition[]> {
  const url = ollamaUrl(variable(env, 'OLLAMA_HOST'));
  if (url === undefined) return [];
  const tags = OllamaTags.safeParse(await ask(`${url}/api/tags`, {}, OLLAMA_MS, fetch));
  const names = (tags.data?.models ?? []).map(({ name }) => name).filter((name) => !/embed/i.test(name));
  const byId = new Map<string, AgentDefinition>();
  for (const name of names) {
    const agent = ollamaAgent(name, url);
    if (agent && !byId.has(agent.agentId)) byId.set(agent.agentId, agent);
  }
  return [...byId.values()].slice(0, MAX_OLLAMA_AGENTS);
}

function ollamaAgent(model: string, url: string): AgentDefinition | undefined {
  const name = model
    .replace(/:latest$/, '')
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+|-+$/g, '');
  if (name === '') return undefined;
  return {
    agentId: `ollama/${name.slice(0, 100)}`,
    displayName: `${model.slice(0, 150)} (Ollama)`,
    description: 'A general assistant that uses a local Ollama model.',
    extends: 'assistant',
    chat: { provider: 'openai-compatible', model, baseUrl: `${url}/v1` },
    icon: '🦙',
  };
}

/** `OLLAMA_HOST` is a URL, a host, a port or both; an address to listen on means this machine. */
function ollamaUrl(host = '127.0.0.1:11434'): string | undefined {
  const text = /^https?:\/\//.test(host) ? host : `http://${host.startsWith(':') ? `127.0.0.1${host}` : host}`;
  const url = URL.parse(text);
  if (!url || baseUrlProblem(text)) return undefined;
  if (url.hostname === '0.0.0.0' || url.hostname === '[::]') url.hostname = '127.0.0.1';
  if (url.port === '' && !/^https?:\/\//.test(host)) url.port = '11434';
  return url.origin;
}

/** Undefined when the address does not answer, is too slow or sends no JSON: then there is nothing to offer. */
async function ask(url: string, headers: Record<string, string>, ms: number, fetch: Fetch): Promise<unknown> {
  try {
    const response = await fetch(url, { headers, redirect: 'error', signal: AbortSignal.timeout(ms) });
    return response.ok ? await response.json() : undefined;
  } catch {
    return undefined;
  }
}

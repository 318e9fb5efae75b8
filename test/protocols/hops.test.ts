import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { HOPS_HEADER } from '../../contract/hops.ts';
import { scriptedAgent } from '../harness/agents.ts';
import { Parley } from '../harness/parley.ts';
import { type RecordedRequest, ScriptedProvider } from '../harness/scripted-provider.ts';
import { call, resultsIn, ScriptedAgents } from '../suites/scripted-agents.ts';

let provider: ScriptedProvider;
let scripted: ScriptedAgents;
let there: Parley;
let parley: Parley;

beforeAll(async () => {
  provider = await ScriptedProvider.start();
  const shown = { apiExposed: true };
  const chat = { provider: 'openai', model: 'model-of-modern', baseUrl: `${provider.url}/v1`, apiKey: 'key' };
  there = await Parley.start({ config: { agents: [scriptedAgent(provider.url, 'other', shown)] } });
  const headers = { Authorization: `Bearer ${there.token}` };
  const server = { url: `${there.url}/mcp`, headers, approval: 'allow', allowPrivateNetwork: true };
  const agents = [
    scriptedAgent(provider.url, 'plain', shown),
    scriptedAgent(provider.url, 'modern', { ...shown, chat }),
    scriptedAgent(provider.url, 'asking', { ...shown, toolAllowlist: ['there__*'] }),
  ];
  parley = await Parley.start({ config: { agents, mcpServers: { there: server } } });
  await parley.ok('POST', '/api/mcp-servers/there/restarts');
});

beforeEach(() => {
  scripted = new ScriptedAgents(provider);
});

afterAll(async () => {
  await parley.close();
  await there.close();
  await provider.close();
});

async function ask(model: string, hops: number): Promise<string> {
  const messages = [{ role: 'user', content: 'hello' }];
  const headers = { [HOPS_HEADER]: String(hops) };
  const { choices } = await parley.ok<Completion>('POST', '/v1/chat/completions', { model, messages }, headers);
  return choices[0]!.message.content;
}

interface Completion {
  choices: { message: { content: string } }[];
}

function hopsTold(model: string): unknown {
  const request = provider.requests.findLast(({ body }) => body.model === `model-of-${model}`);
  return request?.headers[HOPS_HEADER.toLowerCase()];
}

test.each(['plain', 'modern'])('a model is told how many servers a message has passed through: %s', async (model) => {
  await ask(model, 2);
  expect(hopsTold(model)).toBe('3');
});

test('a message counts on through an MCP server, up to the limit', async () => {
  const told = (request: RecordedRequest) => `I was told: ${resultsIn(request).join()}`;
  const asked = [call('there__message_agent', { agent: 'other', message: 'hello' })];
  scripted.answers('asking', asked, told, asked, told);
  expect(await ask('asking', 2)).toMatch(/other heard: hello/);
  expect(hopsTold('other')).toBe('4');
  expect(await ask('asking', 3)).toMatch(/passed through 4 servers.*too_many_hops/);
});

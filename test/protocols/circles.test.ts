import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RemoteCard } from '../../contract/agents.ts';
import type { TurnList } from '../../contract/turns.ts';
import { scriptedAgent } from '../harness/agents.ts';
import { Parley } from '../harness/parley.ts';
import { ScriptedProvider } from '../harness/scripted-provider.ts';
import { ask, resultsIn, ScriptedAgents } from '../suites/scripted-agents.ts';

let provider: ScriptedProvider;
let scripted: ScriptedAgents;
/** Two servers whose agents ask each other over A2A. */
let here: Parley;
let there: Parley;

beforeAll(async () => {
  provider = await ScriptedProvider.start();
  scripted = new ScriptedAgents(provider);
  here = await Parley.start({ config: configOf('here', 'there', 'http://127.0.0.1:9/') });
  there = await Parley.start({ config: configOf('there', 'here', `${here.url}/a2a/here-agent/`, here.token) });
  // Each must know the other's address, and the first one knows it only now.
  await here.ok('DELETE', '/api/agents/far');
  const { url, token } = there;
  await here.ok('POST', '/api/agents', {
    agentId: 'far',
    type: 'a2a',
    a2a: { url: `${url}/a2a/there-agent/`, apiKey: token },
  });
  for (const parley of [here, there]) {
    const { hash } = await parley.ok<RemoteCard>('GET', '/api/agent-cards/far');
    await parley.ok('POST', '/api/agent-cards/far', { hash });
  }
});

afterAll(async () => {
  await here.close();
  await there.close();
  await provider.close();
});

function configOf(own: string, _other: string, url: string, apiKey = 'none') {
  const agent = scriptedAgent(provider.url, `${own}-agent`, {
    apiExposed: true,
    toolAllowlist: ['agents_message'],
    agentAllowlist: ['far'],
  });
  const far = { agentId: 'far', type: 'a2a', a2a: { url, apiKey } };
  return { agents: [agent, far], tools: { fetch: { allowHosts: ['127.0.0.1'] } } };
}

async function turnsOf(parley: Parley, agentId: string): Promise<number> {
  const { sessions } = await parley.ok<{ sessions: { id: string }[] }>(
    'GET',
    `/api/sessions?limit=100&agent=${agentId}`,
  );
  const lists = await Promise.all(
    sessions.map(({ id }) => parley.ok<TurnList>('GET', `/api/sessions/${id}/turns?limit=100`)),
  );
  return lists.flatMap(({ turns }) => turns).filter((turn) => turn.agentId === agentId).length;
}

it('an agent on another server answers what an agent here asks of it', async () => {
  scripted.answers(
    'here-agent',
    [ask('far', 'What is six times seven?')],
    (request) => `It is ${resultsIn(request).join()}`,
  );
  scripted.answers('there-agent', 'Forty-two.');
  const { id } = await here.createSession({ agentId: 'here-agent' });
  const { answer } = await here.say(id, { content: 'ask there' });
  expect(answer!.text).toContain('Forty-two.');
});

it('two servers whose agents always ask each other stop, and say why', { timeout: 60_000 }, async () => {
  const before = [await turnsOf(here, 'here-agent'), await turnsOf(there, 'there-agent')];
  provider.script(({ body }) => {
    const messages = body.messages as { role: string; content: string }[];
    const last = messages.at(-1)!;
    if (last.role === 'tool') return { steps: [{ kind: 'text', text: `I was told: ${last.content}` }] };
    return { steps: [ask('far', 'And you?')] };
  });
  const { id } = await here.createSession({ agentId: 'here-agent' });
  const { turn, answer } = await here.say(id, { content: 'begin' });
  expect(turn.state).toBe('complete');
  expect(answer!.text).toMatch(/passed through 4 servers/);
  const after = [await turnsOf(here, 'here-agent'), await turnsOf(there, 'there-agent')];
  // here, there, here, there: the fifth is refused.
  expect([after[0]! - before[0]!, after[1]! - before[1]!]).toEqual([2, 2]);
});

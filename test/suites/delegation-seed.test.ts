import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SEED } from '../config/seed.ts';
import { Parley } from '../harness/parley.ts';
import { ScriptedProvider } from '../harness/scripted-provider.ts';
import { text } from '../harness/scripted-script.ts';
import { type AgentsAnswer, answersIn, ask, call, resultsIn, ScriptedAgents } from './scripted-agents.ts';

/** The agents of the design document as they are written there, but for who speaks for them. */
function seedConfig(url: string): object {
  const { agents } = JSON.parse(SEED) as { agents: { agentId: string }[] };
  const chat = (agentId: string) => ({
    provider: 'openai-compatible',
    model: `model-of-${agentId}`,
    baseUrl: `${url}/v1`,
  });
  return { agents: agents.map((agent) => ({ ...agent, chat: chat(agent.agentId) })) };
}

let provider: ScriptedProvider;
let parley: Parley;
let scripted: ScriptedAgents;

beforeAll(async () => {
  provider = await ScriptedProvider.start();
  parley = await Parley.start({ config: seedConfig(provider.url) });
  scripted = new ScriptedAgents(provider);
});
beforeEach(() => scripted.clear());
afterAll(async () => {
  await parley.close();
  await provider.close();
});

async function say(agentId: string, content: string) {
  const { id } = await parley.createSession({ agentId });
  return parley.say(id, { content });
}

function systemPromptOf(agentId: string): string {
  const request = provider.requests.findLast(({ body }) => body.model === `model-of-${agentId}`)!;
  return (request.body.messages as { content: string }[])[0]!.content;
}

function toolsOf(agentId: string): string[] {
  const request = provider.requests.findLast(({ body }) => body.model === `model-of-${agentId}`)!;
  return ((request.body.tools ?? []) as { function: { name: string } }[]).map((tool) => tool.function.name);
}

describe('the configuration of the design document', () => {
  it('“Ask the todo agent to add buy milk”: the todo agent does, with its tools, in a session of its own', async () => {
    let answers: AgentsAnswer[] = [];
    scripted.answers('general', [ask('todo', "Add 'buy milk'.")], (request) => {
      answers = answersIn(request);
      return 'The todo agent has added it.';
    });
    scripted.answers('todo', [call('todo_add', { title: 'buy milk' })], (request) => `Done. ${resultsIn(request)[0]}`);
    const { turn, answer } = await say('general', "Ask the todo agent to add 'buy milk'");
    expect([turn.state, answer?.text]).toEqual(['complete', 'The todo agent has added it.']);
    expect(answers[0]).toMatchObject({
      status: 'complete',
      toolCallCount: 1,
      toolCalls: [{ name: 'todo_add' }],
      created: true,
    });
    expect(answers[0]!.response).toContain('buy milk');
    expect(toolsOf('todo').filter((name) => !name.startsWith('todo_') && !name.startsWith('system_'))).toEqual([]);
    expect(systemPromptOf('todo')).toMatch(/^You are a todo list manager\./);
  });

  it('names the colleagues of each agent in its prompt, as far as it may ask them', async () => {
    await say('general', 'Who is there?');
    const general = systemPromptOf('general');
    expect(general).toContain('Available agents you can delegate to:');
    for (const line of ['- todo: Todo Manager', '- journal: Personal Journal', '- reading-list: Reading List Manager'])
      expect(general).toContain(line);
    expect(general).toContain('Use agents_message to ask another agent to perform a task');
    expect(toolsOf('general')).toContain('agents_message');
    // An allowlist of its own leaves the tool out; then nobody is promised to it.
    await say('todo', 'Who is there?');
    expect(toolsOf('todo')).not.toContain('agents_message');
    expect(systemPromptOf('todo')).not.toContain('you can delegate to');
  });

  it('“Kick off a long-running analysis”: async mode goes on without the caller', async () => {
    let started: AgentsAnswer[] = [];
    scripted.answers('general', [ask('journal', 'Review everything.', { mode: 'async' })], (request) => {
      started = answersIn(request);
      return 'It has begun.';
    });
    scripted.answers('journal', { steps: text('All', ' reviewed.') });
    const { answer } = await say('general', 'Kick it off.');
    expect(answer?.text).toContain('It has begun.');
    expect(started[0]).toMatchObject({ mode: 'async', status: 'started', agentId: 'journal' });
  });

  it('keeps the reading list to its lists and to the agents it names', async () => {
    let refused: AgentsAnswer[] = [];
    scripted.answers('reading-list', [call('reading_list_delete', { id: 'x' })], 'I may not.');
    await say('reading-list', 'Delete it.');
    const names = toolsOf('reading-list');
    expect(names).not.toContain('reading_list_delete');
    expect(names).not.toContain('agents_message');
    scripted.answers('general', [ask('reading-list', 'Anything new?')], (request) => {
      refused = answersIn(request);
      return 'Thanks.';
    });
    await say('general', 'Ask.');
    expect(refused[0]).toMatchObject({ status: 'complete', created: true });
  });
});

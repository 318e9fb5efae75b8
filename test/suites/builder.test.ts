import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import type { AgentDefinition } from '../../contract/agents.ts';
import { BUILDER } from '../../contract/builder.ts';
import { answerNext, waitingIn } from './answering.ts';
import { callAsTold, callsIn, resultsIn } from './calling.ts';
import { TestServer } from './test-server.ts';

/** As an agent here has it; what a draft inherits would send its key to another host. */
const KNOWN = { provider: 'openai', model: 'gpt-5.1' };
const FAR = { provider: 'openai-compatible', baseUrl: 'https://far.example/v1' };

let server: TestServer;
let chat: AgentDefinition['chat'];

beforeAll(async () => {
  const builder = { agentId: BUILDER.agentId, extends: BUILDER.template, toolAllowlist: undefined };
  const free = { agentId: 'free', approvals: { '*': 'allow' }, uiVisible: false };
  const templates = [
    { templateId: 'loose', approvals: { bash: 'allow' } },
    { templateId: 'elsewhere', chat: FAR },
    { templateId: 'in-a-folder', workspace: { folder: '/srv' } },
  ];
  server = await TestServer.start({
    agents: [
      'ada',
      builder,
      { agentId: 'eager', toolAllowlist: ['builder_*'] },
      free,
      { agentId: 'known', chat: KNOWN },
    ],
    config: { templates },
    env: { OPENAI_API_KEY: 'sk-none' },
  });
  server.provider.script(callAsTold);
  chat = (await agent('ada')).definition.chat;
});
afterAll(() => server.close());

const agent = (agentId: string) => server.call('getAgent', { params: { agentId } });

function scout(given: object = {}): z.core.util.JSONType & object {
  const words = { displayName: 'Scout', description: 'Finds out what is new.', systemPrompt: 'You are Scout.' };
  return { agentId: 'scout', ...words, chat: chat as z.core.util.JSONType, toolAllowlist: ['web_*'], ...given };
}

/** One call of the builder, and what it was told. */
async function calling(tool: string, input: object, by: string = BUILDER.agentId) {
  const sessionId = await server.open(by);
  const { turn } = await server.send(sessionId, `call ${tool} ${JSON.stringify(input)}`);
  const said = async () => {
    await server.settled(turn.id);
    const { answer } = await server.call('getTurn', { params: { turnId: turn.id } });
    return { call: callsIn(answer!)[0]!, result: resultsIn(answer!)[0]! };
  };
  return { sessionId, turnId: turn.id, said };
}

async function drafting(definition: object) {
  const { said } = await calling('builder_draft', { definition });
  return (await said()).result;
}

describe('an agent that makes others', () => {
  it('is told what there is: models that are in use, tools, templates, agents', async () => {
    const { result } = await (await calling('builder_options', {})).said();
    const options = JSON.parse(result.output);
    expect(options.models).toContainEqual({ chat, usedBy: ['ada'] });
    expect(options.templates).toContainEqual({ extends: 'reviewer', description: expect.any(String) });
    expect(options.agents.map(({ agentId }: AgentDefinition) => agentId)).toContain('ada');
    const tools = options.tools.map(({ name }: { name: string }) => name);
    expect(tools).toContain('web_fetch');
    expect(tools.filter((name: string) => name.startsWith('builder_'))).toEqual([]);
  });

  it('hears that a draft is sound and what it may do; nothing is made by it', async () => {
    const { output, isError } = await drafting(scout({ approvals: { web_fetch: 'ask' } }));
    expect(isError).toBe(false);
    const judged = JSON.parse(output);
    expect(judged).toMatchObject({ issues: [], notes: [], mayAskToUse: ['web_fetch'] });
    expect(judged.mayUse.filter((name: string) => !name.startsWith('system_'))).toEqual([]);
    await expect(agent('scout')).rejects.toThrow('Agent not found: scout');
  });

  it.each([
    ['a name that somebody has', { agentId: 'ada' }, 'An agent with the ID ada already exists'],
    ['a template that there is not', { extends: 'wizard' }, 'names a template or agent that does not exist: wizard'],
    ['a name that cannot be one', { agentId: '../etc' }, 'agentId'],
    ['a field that there is not', { superpowers: true }, 'superpowers is not a known field'],
    ['a parent that there is not', { parentAgentId: 'nobody' }, 'nobody'],
    ['a door to the outside', { apiExposed: true }, 'apiExposed is not a known field'],
    ['an agent that it would inherit from', { extends: 'free' }, 'extends must name a template, and free is not one'],
    ['a folder of this machine', { workspace: { folder: '/srv' } }, 'workspace is not a known field'],
    ['a folder of this machine, inherited', { extends: 'in-a-folder' }, 'workspace must not be set'],
    ['leave to act without asking, inherited', { extends: 'loose' }, 'the template allows bash'],
    ['another host, inherited', { extends: 'elsewhere', chat: KNOWN }, 'chat must be one of the models'],
    ['leave to act without asking', { approvals: { '*': 'allow' } }, 'approvals'],
    [
      'a model that nobody here uses',
      { chat: { provider: 'openai', model: 'gpt-9' } },
      'chat must be one of the models',
    ],
    [
      'a key sent to another host',
      {
        chat: {
          provider: 'openai-compatible',
          model: 'm',
          baseUrl: 'https://evil.example',
          apiKey: '${OPENAI_API_KEY}',
        },
      },
      'chat must be one of the models',
    ],
  ])('hears what is wrong with a draft: %s', async (_, wrong, words) => {
    const { output, isError } = await drafting(scout(wrong));
    expect(isError).toBe(true);
    expect(output).toContain(words);
  });

  it('is told of patterns that mean nothing, and of what keeps an agent from answering', async () => {
    const { output } = await drafting(scout({ toolAllowlist: ['web_fech'], agentAllowlist: ['bob'] }));
    expect(JSON.parse(output)).toMatchObject({
      issues: [],
      notes: [
        'toolAllowlist names web_fech, which matches nothing.',
        'agentAllowlist names bob, which matches nothing.',
      ],
    });
  });

  it('makes an agent once the person agrees, exactly as it was shown, and the audit says who did', async () => {
    const { sessionId, said } = await calling('builder_create', { definition: scout() });
    const [action] = await waitingIn(server, sessionId);
    expect(action).toMatchObject({ kind: 'approval', approval: { tool: 'builder_create', risk: 'execute' } });
    expect(JSON.parse(action!.approval!.input)).toEqual({ definition: scout() });
    expect(JSON.parse(action!.approval!.result!)).toMatchObject({ agentId: 'scout', toolAllowlist: ['web_*'] });
    const params = { actionId: action!.id };
    await server.refused('action_answer_invalid', 'answerAction', { params, body: { decision: 'always' } });
    await expect(agent('scout')).rejects.toThrow('Agent not found: scout');
    await answerNext(server, sessionId, { decision: 'once' });
    expect((await said()).result).toMatchObject({ output: 'Created Scout (scout).', isError: false });
    expect((await agent('scout')).definition).toEqual(scout());
    const { entries } = await server.call('listAudit', { query: {} });
    expect(entries).toContainEqual(
      expect.objectContaining({ action: 'agent.created', object: 'scout', detail: `by ${BUILDER.agentId}` }),
    );
  });

  it('makes what the person made of the draft', async () => {
    const { sessionId, said } = await calling('builder_create', {
      definition: scout({ agentId: 'second', displayName: 'Second' }),
    });
    const input = { definition: scout({ agentId: 'mine', displayName: 'Mine' }) };
    await answerNext(server, sessionId, { decision: 'once', input });
    await said();
    expect((await agent('mine')).displayName).toBe('Mine');
    await expect(agent('second')).rejects.toThrow('Agent not found: second');
  });

  it.each([
    [
      'inherits leave to act without asking',
      { agentId: 'fourth', displayName: 'Fourth', extends: 'loose' },
      'the template allows bash',
    ],
    ['has a name that another has', { agentId: 'ada' }, 'An agent with the ID ada already exists'],
  ])('asks nobody to approve what would be refused: a draft that %s', async (_, wrong, words) => {
    const { said, sessionId } = await calling('builder_create', { definition: scout(wrong) });
    const { call, result } = await said();
    expect(call.state).toBe('failed');
    expect(result).toMatchObject({ isError: true, output: expect.stringContaining(words) });
    for (const state of ['open', 'answered', 'withdrawn'] as const) {
      const { actions } = await server.call('listActions', { query: { state } });
      expect(actions.filter((action) => action.sessionId === sessionId)).toEqual([]);
    }
  });

  it('makes nothing that the person declines', async () => {
    const { sessionId, said } = await calling('builder_create', {
      definition: scout({ agentId: 'third', displayName: 'Third' }),
    });
    await answerNext(server, sessionId, { decision: 'deny', reason: 'Not yet.' });
    expect((await said()).result).toMatchObject({ isError: true, output: expect.stringContaining('Not yet.') });
    await expect(agent('third')).rejects.toThrow('Agent not found: third');
  });

  it('is refused where it is not configured, whatever its own lists say', async () => {
    const { call } = await (await calling('builder_create', { definition: scout() }, 'eager')).said();
    expect(call.state).toBe('rejected');
    const { tools: explained } = await server.call('explain', { query: { agent: 'eager', tool: 'builder_create' } });
    expect(explained[0]!.decision.reason).toBe('builder_create is not configured for eager.');
    const { tools } = await server.call('listTools', { query: { agent: 'eager' } });
    expect(tools.filter(({ name }) => name.startsWith('builder_'))).toEqual([]);
  });
});

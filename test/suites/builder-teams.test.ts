import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentDefinition } from '../../contract/agents.ts';
import { BUILDER } from '../../contract/builder.ts';
import { answerNext, waitingIn } from './answering.ts';
import { callAsTold, callsIn, resultsIn } from './calling.ts';
import { TestServer } from './test-server.ts';

let server: TestServer;
let chat: AgentDefinition['chat'];

beforeAll(async () => {
  const builder = { agentId: BUILDER.agentId, extends: BUILDER.template, toolAllowlist: undefined };
  const templates = [{ templateId: 'loose', approvals: { bash: 'allow' } }];
  server = await TestServer.start({ agents: ['ada', builder], config: { templates } });
  server.provider.script(callAsTold);
  chat = (await server.call('getAgent', { params: { agentId: 'ada' } })).definition.chat;
});
afterAll(() => server.close());

const words = { description: 'Does its part.', systemPrompt: 'You do your part.' };
const one = (agentId: string, displayName: string, more: object = {}) => ({
  agentId,
  displayName,
  ...words,
  chat,
  toolAllowlist: [],
  ...more,
});

const lead = (prefix: string, name: string, more: object = {}) => one(`${prefix}/lead`, `${name} Lead`, more);
const below = (prefix: string, name: string, role: string, more: object = {}) =>
  one(`${prefix}/${role.toLowerCase()}`, `${name} ${role}`, { parentAgentId: `${prefix}/lead`, ...more });

function launch(prefix: string, name: string) {
  const agents = [lead(prefix, name), below(prefix, name, 'Writer'), below(prefix, name, 'Reviewer')];
  return { name, description: 'Launches things.', agents };
}

/** What the builder's last call was and was told, once its turn is over. */
async function calling(sessionId: string, tool: string, input: object) {
  const { turn } = await server.send(sessionId, `call ${tool} ${JSON.stringify(input)}`);
  return {
    said: async () => {
      await server.settled(turn.id);
      const { answer } = await server.call('getTurn', { params: { turnId: turn.id } });
      return { call: callsIn(answer!)[0]!, result: resultsIn(answer!)[0]! };
    },
  };
}

async function told(sessionId: string, tool: string, input: object) {
  const { result } = await (await calling(sessionId, tool, input)).said();
  return result;
}

const exists = async (agentId: string) =>
  (await server.call('listAgents', { query: { hidden: true } })).agents.some((agent) => agent.agentId === agentId);

describe('the builder and a team', () => {
  it('proposes it, changes one agent, takes one out and checks it, without creating anything', async () => {
    const sessionId = await server.open(BUILDER.agentId);
    const none = await told(sessionId, 'builder_team_check', {});
    expect(none).toMatchObject({ isError: true, output: expect.stringContaining('There is no draft of a team yet') });
    const proposed = await told(sessionId, 'builder_team', launch('a', 'A'));
    expect(proposed.isError).toBe(false);
    expect(JSON.parse(proposed.output)).toMatchObject({
      issues: [],
      members: [{ agentId: 'a/lead', mayAsk: ['a/writer', 'a/reviewer'] }, { agentId: 'a/writer' }, { issues: [] }],
    });
    const writer = below('a', 'A', 'Writer', { toolAllowlist: ['web_*'] });
    const changed = JSON.parse((await told(sessionId, 'builder_team_member', { definition: writer })).output);
    expect([...changed.members[1].mayUse, ...changed.members[1].mayAskToUse]).toContain('web_fetch');
    const removed = JSON.parse((await told(sessionId, 'builder_team_remove', { agentId: 'a/reviewer' })).output);
    expect(removed.team.agents.map(({ agentId }: AgentDefinition) => agentId)).toEqual(['a/lead', 'a/writer']);
    const again = await told(sessionId, 'builder_team_remove', { agentId: 'a/reviewer' });
    expect(again).toMatchObject({ isError: true, output: expect.stringContaining('a/lead, a/writer') });
    expect(JSON.parse((await told(sessionId, 'builder_team_check', {})).output).team).toEqual(removed.team);
    expect(await exists('a/lead')).toBe(false);
  });

  it.each([
    ['acting without asking, inherited', { extends: 'loose' }, 'the template allows bash'],
    ['extending an agent', { extends: 'ada' }, 'extends must name a template'],
    ['a model that no agent here uses', { chat: { provider: 'openai', model: 'gpt-9' } }, 'chat must be one of'],
    ['a parent outside', { parentAgentId: 'ada' }, 'parentAgentId must name an agent of the team'],
    ['the name of another', { displayName: 'Ada' }, 'displayName'],
  ])('hears which agent has a problem: %s', async (_, wrong, issue) => {
    const sessionId = await server.open(BUILDER.agentId);
    const team = launch('b', 'B');
    const agents = [team.agents[0], { ...team.agents[1], ...wrong }, team.agents[2]];
    const { isError, output } = await told(sessionId, 'builder_team', { ...team, agents });
    expect(isError).toBe(true);
    const { members } = JSON.parse(output);
    expect(members[1].issues.join('\n')).toContain(issue);
    expect(members[0].issues).toEqual([]);
    const { call } = await (await calling(sessionId, 'builder_team_create', { ...team, agents })).said();
    expect(call.state).toBe('failed');
    expect((await server.call('listActions', { query: { session: sessionId } })).actions).toEqual([]);
    expect(await exists('b/lead')).toBe(false);
  });

  it('creates it once the person agrees, exactly as it was shown, with everything that it inherits', async () => {
    const sessionId = await server.open(BUILDER.agentId);
    const team = launch('c', 'C');
    team.agents[1] = { ...team.agents[1]!, extends: 'writer' } as never;
    const { said } = await calling(sessionId, 'builder_team_create', team);
    const [action] = await waitingIn(server, sessionId);
    expect(action).toMatchObject({ approval: { tool: 'builder_team_create', risk: 'execute' } });
    expect(JSON.parse(action!.approval!.input)).toEqual(team);
    const shown: AgentDefinition[] = JSON.parse(action!.approval!.result!);
    expect(shown.map(({ agentId }) => agentId)).toEqual(['c/lead', 'c/writer', 'c/reviewer']);
    expect(shown[1]!.welcomeMessage).toBe('What are we writing, and for whom?');
    const params = { actionId: action!.id };
    await server.refused('action_answer_invalid', 'answerAction', { params, body: { decision: 'always' } });
    expect(await exists('c/lead')).toBe(false);
    await answerNext(server, sessionId, { decision: 'once' });
    expect((await said()).result).toMatchObject({
      isError: false,
      output: expect.stringContaining('Created the team C'),
    });
    const { teams } = await server.call('listTeams');
    expect(teams).toMatchObject([{ name: 'C', agents: ['c/lead', 'c/writer', 'c/reviewer'] }]);
    const { entries } = await server.call('listAudit', { query: {} });
    const by = { action: 'team.created', object: 'C', detail: `by ${BUILDER.agentId}` };
    expect(entries).toContainEqual(expect.objectContaining(by));
  });

  it('creates nothing when what it would do has changed since it was shown', async () => {
    const sessionId = await server.open(BUILDER.agentId);
    const { said } = await calling(sessionId, 'builder_team_create', launch('d', 'D'));
    await waitingIn(server, sessionId);
    await server.call('createAgent', { body: { agentId: 'd/writer', chat } });
    await answerNext(server, sessionId, { decision: 'once' });
    expect((await said()).result.isError).toBe(true);
    expect(await exists('d/lead')).toBe(false);
    expect((await server.call('listTeams')).teams.map(({ name }) => name)).not.toContain('D');
  });

  it('creates nothing that the person declines', async () => {
    const sessionId = await server.open(BUILDER.agentId);
    const { said } = await calling(sessionId, 'builder_team_create', launch('e', 'E'));
    await answerNext(server, sessionId, { decision: 'deny', reason: 'Not yet.' });
    expect((await said()).result).toMatchObject({ isError: true, output: expect.stringContaining('Not yet.') });
    expect(await exists('e/lead')).toBe(false);
  });

  it('follows the branch that is shown: a draft that was taken back is not changed any more', async () => {
    const sessionId = await server.open(BUILDER.agentId);
    await told(sessionId, 'builder_team', launch('f', 'F'));
    const [first] = await server.parley.messages(sessionId);
    const content = 'call builder_team_check {}';
    const { turn } = await server.call('reviseMessage', { params: { messageId: first!.id }, body: { content } });
    await server.settled(turn.id);
    const { answer } = await server.call('getTurn', { params: { turnId: turn.id } });
    expect(resultsIn(answer!)[0]!.output).toContain('There is no draft of a team yet');
  });
});

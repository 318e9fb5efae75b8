import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentDefinition } from '../../contract/agents.ts';
import { until } from '../harness/parley.ts';
import type { RecordedRequest } from '../harness/scripted-provider.ts';
import { type Script, text } from '../harness/scripted-script.ts';
import { answerNext, waitingIn } from './answering.ts';
import { TestServer } from './test-server.ts';

let server: TestServer;
let chat: AgentDefinition['chat'];

beforeAll(async () => {
  server = await TestServer.start({
    agents: [
      { agentId: 'ada', agentAllowlist: null },
      { agentId: 'bob', agentAllowlist: null },
      { agentId: 'lone', agentAllowlist: ['bob'] },
      { agentId: 'hidden', uiVisible: false },
    ],
    config: { limits: { agentsPerTeam: 5, teamTrials: 2 } },
  });
  server.provider.script(play);
  chat = (await server.call('getAgent', { params: { agentId: 'ada' } })).definition.chat;
});
afterAll(() => server.close());

/** The orchestrator delegates to whom it is told with `to NAME`; all others answer. */
function play({ body, said }: RecordedRequest): Script {
  const { role, content } = (body.messages as { role: string; content: string }[]).at(-1)!;
  const to = /^to (\S+)$/m.exec(said)?.[1];
  if (to && role === 'user' && content.includes(`to ${to}`))
    return { steps: text(`<delegate to="${to}">Do it.</delegate>`) };
  if (said.startsWith('call ') && role === 'user') return { steps: [toolCall(said)] };
  return { steps: text('Done.') };
}

function toolCall(said: string) {
  const [, name = '', input = ''] = /^call (\S+) (.*)$/s.exec(said) ?? [];
  return { kind: 'toolCall', id: 'c', name, input } as const;
}

const member = (agentId: string, more: Partial<AgentDefinition> = {}): AgentDefinition => ({
  agentId,
  chat,
  systemPrompt: `You are ${agentId}.`,
  ...more,
});

/** An orchestrator, a writer and a reviewer below it, and one more below the writer. */
function crew(prefix: string): AgentDefinition[] {
  return [
    member(`${prefix}/lead`),
    member(`${prefix}/writer`, { parentAgentId: `${prefix}/lead` }),
    member(`${prefix}/reviewer`, { parentAgentId: `${prefix}/lead` }),
    member(`${prefix}/speller`, { parentAgentId: `${prefix}/writer` }),
  ];
}

const make = (name: string, agents: readonly AgentDefinition[]) =>
  server.call('makeTeam', { body: { name, description: 'For tests.', agents } });
const teams = async () => (await server.call('listTeams')).teams;
const ids = async () => (await server.call('listAgents', { query: { hidden: true } })).agents.map((one) => one.agentId);

describe('a team with its agents', () => {
  it('is created as a whole, listed, and undone as a whole', async () => {
    const team = await make('Alpha', crew('alpha'));
    const all = ['alpha/lead', 'alpha/writer', 'alpha/reviewer', 'alpha/speller'];
    expect(team).toMatchObject({ name: 'Alpha', agents: all, created: all });
    expect(await teams()).toContainEqual(team);
    expect(await ids()).toEqual(expect.arrayContaining(all));
    const { entries } = await server.call('listAudit', { query: {} });
    expect(entries.map(({ action, object }) => `${action} ${object}`)).toContain('agent.created alpha/speller');
    await server.call('unmakeTeam', { params: { teamId: team.id } });
    expect((await ids()).filter((id) => id.startsWith('alpha/'))).toEqual([]);
    expect(await teams()).toEqual([]);
  });

  it('is not created when one agent cannot be, and no file is left', async () => {
    const agents = [...crew('beta').slice(0, 2), member('ada', { parentAgentId: 'beta/lead' })];
    const { issues } = await server.refused('team_invalid', 'makeTeam', { body: { name: 'Beta', agents } });
    expect(issues).toEqual(['ada: An agent with the ID ada already exists.']);
    expect((await ids()).filter((id) => id.startsWith('beta/'))).toEqual([]);
    expect(await teams()).toEqual([]);
  });

  it.each([
    ['has a parent', { agentId: 'gamma/lead', parentAgentId: 'ada' }, 'gamma/lead: parentAgentId must be empty'],
    ['a name of another', { agentId: 'gamma/lead', displayName: 'Ada' }, 'gamma/lead: displayName'],
    [
      'may ask nobody',
      { agentId: 'gamma/lead', agentAllowlist: [] },
      'gamma/lead: must be allowed to ask gamma/writer',
    ],
    ['two levels of the same', { agentId: 'gamma/writer' }, 'agentId must be unique in the team'],
  ])('says which agent is wrong: an orchestrator that %s', async (_, change, words) => {
    const [lead, ...others] = crew('gamma');
    const body = { name: 'Gamma', agents: [{ ...lead!, ...change }, ...others] };
    const { issues } = await server.refused('team_invalid', 'makeTeam', { body });
    expect(issues!.join('\n')).toContain(words);
    const { issues: whole, members } = await server.call('judgeTeam', { body });
    expect([...whole, ...members.flatMap((one) => one.issues)]).toHaveLength(issues!.length);
  });

  it('is no deeper and no larger than the limits, and no circle', async () => {
    const chain = ['a', 'b', 'c', 'd', 'e'].map((id, index, all) =>
      member(`deep/${id}`, index === 0 ? {} : { parentAgentId: `deep/${all[index - 1]}` }),
    );
    const { members } = await server.call('judgeTeam', { body: { name: 'Deep', agents: chain } });
    expect(members.map(({ issues }) => issues)).toEqual([[], [], [], [], [expect.stringContaining('at most 3 deep')]]);
    const [lead] = chain;
    const many = ['p', 'q', 'r', 's', 't'].map((id) => member(`deep/${id}`, { parentAgentId: 'deep/a' }));
    const large = await server.call('judgeTeam', { body: { name: 'Large', agents: [lead!, ...many] } });
    expect(large.issues).toEqual(['a team can have at most 5 agents']);
    const ring = [lead!, member('deep/x', { parentAgentId: 'deep/y' }), member('deep/y', { parentAgentId: 'deep/x' })];
    const circle = await server.call('judgeTeam', { body: { name: 'Ring', agents: ring } });
    expect(circle.members[1]!.issues).toEqual([expect.stringContaining('circle')]);
  });

  it('shows what each of its agents may use and whom it may ask', async () => {
    const agents = crew('shown').map((one) => ({ ...one, toolAllowlist: ['web_*'] }));
    const { members } = await server.call('judgeTeam', { body: { name: 'Shown', agents } });
    const [lead] = members;
    expect([...lead!.mayUse, ...lead!.mayAskToUse]).toContain('web_fetch');
    expect(lead!.mayAsk).toEqual(['shown/writer', 'shown/reviewer', 'shown/speller']);
  });

  it('is not undone once an agent of it has been changed or is used by others', async () => {
    const { id } = await make('Delta', crew('delta'));
    const params = { agentId: 'delta/writer' };
    await server.call('updateAgent', { params, body: { description: 'Changed.' } });
    const problem = await server.refused('team_changed', 'unmakeTeam', { params: { teamId: id } });
    expect(problem.detail).toContain('delta/writer changed');
    expect(await ids()).toContain('delta/lead');
    expect((await teams()).map(({ name }) => name)).toEqual(['Delta']);
    await server.call('deleteTeam', { params: { teamId: id } });
    expect(await ids()).toContain('delta/lead');
  });

  it('goes to another server as a file, without what belongs to this one', async () => {
    const { id } = await make('Echo', crew('echo'));
    const file = await server.call('exportTeam', { params: { teamId: id } });
    expect(file).toMatchObject({ format: 'parley.team', version: 1, team: { name: 'Echo', agents: crew('echo') } });
    await server.call('unmakeTeam', { params: { teamId: id } });
    const again = await server.call('makeTeam', { body: file.team });
    expect(again.agents).toEqual(file.team.agents.map(({ agentId }) => agentId));
    const { entries } = await server.call('listAudit', { query: {} });
    expect(entries.map(({ action, object }) => `${action} ${object}`)).toContain('team.created Echo');
  });
});

describe('a session that begins with a team', () => {
  it('has the orchestrator as its primary, which delegates to the team by tag', async () => {
    const { id } = await make('Foxtrot', crew('fox'));
    const session = await server.create({ teamId: id });
    expect(session).toMatchObject({ agentId: 'fox/lead', team: { name: 'Foxtrot', agents: expect.any(Array) } });
    await server.say(session.id, 'to fox/writer');
    const messages = await server.parley.messages(session.id);
    expect(messages.map(({ role, agent }) => [role, agent])).toContainEqual(['assistant', 'fox/writer']);
    const lead = server.provider.requests.find(({ said }) => said.includes('to fox/writer'))!;
    const system = (lead.body.messages as { content: string }[])[0]!.content;
    expect(system).toContain('fox/writer');
    expect(system.split('Delegating:')[1]).not.toContain('fox/speller');
  });

  it('may have a program below the orchestrator, which is started only as it was confirmed', async () => {
    const program = { agentId: 'kin/tool', type: 'acp', acp: { command: 'true' }, parentAgentId: 'kin/lead' } as const;
    const body = { name: 'Kin', agents: [member('kin/lead'), program] };
    const { issues } = await server.refused('command_unconfirmed', 'makeTeam', { body });
    expect(issues).toEqual(['true']);
    expect((await ids()).filter((id) => id.startsWith('kin/'))).toEqual([]);
    expect((await teams()).map(({ name }) => name)).not.toContain('Kin');
    const team = await server.call('makeTeam', { body, query: { confirm: issues![0]! } });
    const session = await server.create({ teamId: team.id });
    await server.say(session.id, 'to kin/tool');
    const messages = await server.parley.messages(session.id);
    expect(messages.map(({ role, agent }) => [role, agent])).toContainEqual(['delegation', 'kin/tool']);
  });

  it('does not begin when the orchestrator is gone', async () => {
    const team = await server.call('createTeam', { body: { name: 'Golf', agents: ['lone', 'bob'] } });
    await server.call('deleteAgent', { params: { agentId: 'lone' } });
    const problem = await server.refused('agent_not_found', 'createSession', { body: { teamId: team.id } });
    expect(problem.detail).toContain('The team "Golf" includes lone');
    await server.refused('team_not_found', 'createSession', { body: { teamId: 'nothing' } });
  });
});

describe('the cast of a session', () => {
  it('is kept as a team, and its orchestrator is given what it lacks only when the person says so', async () => {
    const sessionId = await server.open('ada');
    await server.say(sessionId, 'Hello.');
    await server.say(sessionId, { content: 'And you?', guest: 'bob' });
    await server.say(sessionId, { content: 'And you?', guest: 'hidden' });
    const cast = await server.call('sessionCast', { params: { sessionId } });
    expect(cast).toMatchObject({ agents: ['ada', 'bob', 'hidden'], gone: [], refused: [{ agentId: 'hidden' }] });
    expect(cast.changes).toEqual({ agentAllowlist: ['*', 'hidden'], delegation: { tags: true } });
    const other = await server.call('sessionCast', { params: { sessionId }, query: { orchestrator: 'bob' } });
    expect(other.agents).toEqual(['bob', 'ada', 'hidden']);
    const plain = await server.call('createTeam', { body: { name: 'Plain', agents: cast.agents } });
    const before = await server.call('getAgent', { params: { agentId: 'ada' } });
    expect(before.definition.agentAllowlist).toBeNull();
    await server.call('createTeam', { body: { name: 'Able', agents: cast.agents, allow: true } });
    const after = await server.call('getAgent', { params: { agentId: 'ada' } });
    expect(after.definition).toMatchObject({ agentAllowlist: ['*', 'hidden'], delegation: { tags: true } });
    const session = await server.create({ teamId: plain.id });
    await server.say(session.id, 'to hidden');
    const messages = await server.parley.messages(session.id);
    expect(messages.map(({ role, agent }) => [role, agent])).toContainEqual(['assistant', 'hidden']);
    const led = await server.call('sessionCast', { params: { sessionId: session.id } });
    expect(led).toMatchObject({ agents: ['ada', 'hidden'], refused: [], changes: null });
  });

  it('says what its orchestrator lacks, also after its members changed, and gives it that when the person says so', async () => {
    const body = { name: 'Kilo', agents: ['bob', 'hidden'] };
    const params = { teamId: (await server.call('createTeam', { body })).id };
    const lacks = await server.call('getTeam', { params });
    expect(lacks).toMatchObject({ name: 'Kilo', agents: ['bob', 'hidden'], refused: [{ agentId: 'hidden' }] });
    expect(lacks.changes).toMatchObject({ agentAllowlist: expect.arrayContaining(['hidden']) });
    await server.call('createTeam', { body: { name: 'Taken', agents: ['ada'] } });
    await server.refused('team_name_taken', 'patchTeam', { params, body: { name: 'Taken', allow: true } });
    expect((await server.call('getTeam', { params })).changes).toEqual(lacks.changes);
    await server.call('patchTeam', { params, body: { agents: ['bob'] } });
    expect(await server.call('getTeam', { params })).toMatchObject({ refused: [], changes: null });
    await server.call('patchTeam', { params, body: { agents: ['bob', 'hidden'], allow: true } });
    expect(await server.call('getTeam', { params })).toMatchObject({ refused: [], changes: null });
    const session = await server.create({ teamId: params.teamId });
    await server.say(session.id, 'to hidden');
    const messages = await server.parley.messages(session.id);
    expect(messages.map(({ role, agent }) => [role, agent])).toContainEqual(['assistant', 'hidden']);
    const lost = { params: { teamId: 'nothing' }, body: { agents: ['ada', 'hidden'], allow: true } };
    await server.refused('team_not_found', 'patchTeam', lost);
    await server.refused('team_not_found', 'getTeam', { params: lost.params });
  });

  it('is renamed and deleted; names are taken once', async () => {
    const { id } = await server.call('createTeam', { body: { name: 'Hotel', agents: ['ada', 'bob'] } });
    await server.refused('team_name_taken', 'createTeam', { body: { name: 'Hotel', agents: ['ada'] } });
    const patched = await server.call('patchTeam', { params: { teamId: id }, body: { name: 'India' } });
    expect(patched).toMatchObject({ name: 'India', agents: ['ada', 'bob'] });
    await server.refused('agent_not_found', 'patchTeam', { params: { teamId: id }, body: { agents: ['nobody'] } });
    await server.refused('team_changed', 'unmakeTeam', { params: { teamId: id } });
    await server.call('deleteTeam', { params: { teamId: id } });
    await server.refused('team_not_found', 'patchTeam', { params: { teamId: id }, body: { name: 'x' } });
  });
});

describe('a team that is tried', () => {
  it('works in a session of its own without being saved, and ends with it', async () => {
    const before = await ids();
    const session = await server.call('tryTeam', { body: { agents: crew('tried') } });
    const lead = session.agentId!;
    expect(lead).toMatch(/^trial-\w+\/tried\/lead$/);
    expect(session.attributes).toEqual({ scratch: true });
    const writer = lead.replace('lead', 'writer');
    await server.say(session.id, `to ${writer}`);
    const messages = await server.parley.messages(session.id);
    expect(messages.map(({ role, agent }) => [role, agent])).toContainEqual(['assistant', writer]);
    expect((await server.call('listAgents')).agents.map(({ agentId }) => agentId)).not.toContain(lead);
    await server.refused('agent_not_found', 'deleteAgent', { params: { agentId: lead } });
    const elsewhere = await server.open('ada');
    await server.say(elsewhere, `to ${writer}`);
    const there = await server.parley.messages(elsewhere);
    expect(there.filter(({ agent, role }) => role === 'assistant' && agent === writer)).toEqual([]);
    await server.call('deleteSession', { params: { sessionId: session.id } });
    expect(await ids()).toEqual(before);
  });

  it('keeps no approval and no memory', async () => {
    const agents = [member('brief/one', { toolAllowlist: ['memory_*'], approvals: { '*': 'ask' } })];
    const session = await server.call('tryTeam', { body: { agents } });
    const { turn } = await server.send(session.id, 'call memory_save {"text":"It was said in a trial."}');
    const [action] = await waitingIn(server, session.id);
    expect(action!.agentId).toBe(session.agentId);
    await answerNext(server, session.id, { decision: 'always' });
    await until(
      () => server.call('getTurn', { params: { turnId: turn.id } }),
      ({ turn: { state } }) => state !== 'running',
    );
    await server.call('deleteSession', { params: { sessionId: session.id } });
    await until(
      () => server.call('listGrants', { query: {} }),
      ({ grants }) => grants.length === 0,
    );
    expect((await server.call('listKeptMemories')).memories).toEqual([]);
  });

  it('is refused where the creation would be, and the oldest makes room', async () => {
    const wrong = [member('x/lead'), member('x/other')];
    await server.refused('team_invalid', 'tryTeam', { body: { agents: wrong } });
    const { detail } = await server.refused('team_invalid', 'tryTeam', { body: { agents: [member('ada')] } });
    expect(detail).toMatch(/ID ada already exists\.$/);
    expect(detail).not.toContain('..');
    const program = [{ agentId: 'x/lead', type: 'acp', acp: { command: 'do-harm' } }];
    await server.refused('command_unconfirmed', 'tryTeam', { body: { agents: program } });
    const opened = [];
    for (const name of ['one', 'two', 'three'])
      opened.push(await server.call('tryTeam', { body: { agents: [member(`room/${name}`)] } }));
    const there = (await ids()).filter((id) => id.startsWith('trial-'));
    expect(there).toEqual(opened.slice(1).map(({ agentId }) => agentId));
  });
});

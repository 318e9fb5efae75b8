import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AgentDefinition } from '../../contract/agents.ts';
import type { Session } from '../../contract/sessions.ts';
import { gate } from '../harness/scripted-script.ts';
import { ASYNC, DelegatingAgents, fresh, held, tag } from './delegating.ts';
import { type AgentsAnswer, answersIn, ask, type ScriptedAnswer } from './scripted-agents.ts';
import { TestServer } from './test-server.ts';

let server: TestServer;
let scripted: DelegatingAgents;

beforeAll(async () => {
  server = await TestServer.start({
    agents: [{ agentId: 'outsider', toolAllowlist: ['agents_*'], agentAllowlist: null }],
  });
  scripted = new DelegatingAgents(server);
});
beforeEach(() => scripted.clear());
afterAll(() => server.close());

const member = (agentId: string, more: Partial<AgentDefinition>): AgentDefinition => ({
  agentId,
  systemPrompt: `You are ${agentId}.`,
  chat: { provider: 'openai-compatible', model: `model-of-${agentId}`, baseUrl: `${server.provider.url}/v1` },
  ...more,
});

/** A lead that may ask those below it, a writer that may ask the reviewer only, and a reviewer that may ask no agent. */
function crew(prefix: string): AgentDefinition[] {
  const below = { parentAgentId: `${prefix}/lead`, toolAllowlist: ['agents_*'] };
  return [
    member(`${prefix}/lead`, { toolAllowlist: ['agents_*'], agentAllowlist: [`${prefix}/*`] }),
    member(`${prefix}/writer`, { ...below, agentAllowlist: [`${prefix}/reviewer`] }),
    member(`${prefix}/reviewer`, { ...below, agentAllowlist: [] }),
  ];
}

const make = (name: string, agents = crew(name.toLowerCase())) =>
  server.call('makeTeam', { body: { name, description: 'For tests.', agents } });

const importFile = (body: unknown) => server.call('importSession', { body });

async function exported(sessionId: string) {
  return (await server.ask('exportSession', { params: { sessionId } })).body as { session: Session };
}

describe('a copy of a session that began with a team', () => {
  it('keeps the team as a fork, whatever became of the team meanwhile, with the mode and the folder', async () => {
    const team = await make('Alpha');
    const { id } = await server.create({ teamId: team.id, mode: 'read-only' });
    await server.say(id, 'Hello.');
    await server.call('patchTeam', { params: { teamId: team.id }, body: { name: 'Renamed' } });
    const fork = await server.call('forkSession', { params: { sessionId: id }, body: {} });
    expect(fork).toMatchObject({
      team: { name: 'Alpha', agents: team.agents },
      agentId: 'alpha/lead',
      mode: 'read-only',
    });
    scripted.answers('alpha/lead', tag('alpha/writer', 'Write it.'), 'Thanks.');
    await server.say(fork.id, 'Go.');
    expect(await server.transcript(fork.id)).toContain('alpha/writer: alpha/writer heard: Write it.');
  });

  it('keeps it as an import where there is a team of this name and orchestrator, with the agents that it has here', async () => {
    const team = await make('Beta');
    const { id } = await server.create({ teamId: team.id, mode: 'read-only' });
    await server.say(id, 'Hello.');
    const file = await exported(id);
    expect(file.session).toMatchObject({ team: { name: 'Beta', agents: team.agents }, mode: 'read-only' });
    expect(await importFile(file)).toMatchObject({ team: file.session.team, mode: 'read-only', missingTeam: null });
    const agents = ['beta/lead', 'beta/writer'];
    await server.call('patchTeam', { params: { teamId: team.id }, body: { agents } });
    expect(await importFile(file)).toMatchObject({ team: { name: 'Beta', agents }, missingTeam: null });
  });

  it('says as an import which team is missing, and goes on without one', async () => {
    const team = await make('Gamma');
    const { id } = await server.create({ teamId: team.id });
    await server.say(id, 'Hello.');
    const file = await exported(id);
    const missing = { team: null, agentId: 'gamma/lead', missingTeam: { name: 'Gamma', agents: team.agents } };
    await server.call('patchTeam', { params: { teamId: team.id }, body: { agents: ['gamma/writer', 'gamma/lead'] } });
    expect(await importFile(file)).toMatchObject(missing);
    await server.call('deleteTeam', { params: { teamId: team.id } });
    const copy = await importFile(file);
    expect(copy).toMatchObject(missing);
    await server.say(copy.id, 'And now?');
    expect(await server.transcript(copy.id)).toContain('gamma/lead: gamma/lead heard: And now?');
  });

  it('is an ordinary session although the original was only a trial', async () => {
    const { session } = await beginTrial('sierra');
    await server.say(session.id, 'Hello.');
    const fork = await server.call('forkSession', { params: { sessionId: session.id }, body: {} });
    expect(fork).toMatchObject({ attributes: {}, team: session.team });
    const copy = await importFile(await exported(session.id));
    expect(copy).toMatchObject({ attributes: {}, team: null, missingTeam: session.team });
    await server.call('deleteSession', { params: { sessionId: session.id } });
    expect((await server.messages(fork.id)).map(({ text }) => text)).toContain('Hello.');
    const send = { params: { sessionId: fork.id }, body: { content: 'And now?' } };
    await server.refused('agent_not_found', 'sendMessage', send);
    await server.say(fork.id, { content: 'And now?', agent: 'outsider' });
  });

  it('is read from files that were made before teams and modes were in them, and refused where the team is none', async () => {
    const { id } = await server.create({ agentId: 'outsider' });
    await server.say(id, 'Hello.');
    const file = await exported(id);
    const { mode: _, team: __, ...session } = file.session;
    expect(await importFile({ ...file, session })).toMatchObject({ mode: 'full', team: null, missingTeam: null });
    for (const team of [
      { name: '', agents: ['a'] },
      { name: 'T', agents: [] },
      { name: 'T', agents: ['a'], id: '1' },
      'T',
    ]) {
      const body = { ...file, session: { ...file.session, team } };
      expect((await server.refused('import_invalid', 'importSession', { body })).issues!.join()).toContain(
        'session.team',
      );
    }
  });
});

/** What each of the steps of an agent that asks came to. */
async function answersOf(
  sessionId: string,
  agentId: string,
  ...steps: ReturnType<typeof ask>[]
): Promise<AgentsAnswer[]> {
  let answers: AgentsAnswer[] = [];
  const note: ScriptedAnswer = (request) => {
    answers = answersIn(request);
    return 'I go on.';
  };
  scripted.answers(nameOf(agentId), steps, note);
  const { turn } = await server.say(sessionId, { content: 'Go.', agent: agentId });
  expect(turn.state).toBe('complete');
  return answers;
}

const codes = (answers: readonly AgentsAnswer[]) => answers.map(({ status, code }) => code ?? status);

interface Begun {
  session: Session;
  lead: string;
  writer: string;
  reviewer: string;
  isTrial: boolean;
}

async function beginSaved(name: string): Promise<Begun> {
  const { id } = await make(name);
  return toBegun(await server.create({ teamId: id }), false);
}

async function beginTrial(name: string): Promise<Begun> {
  return toBegun(await server.call('tryTeam', { body: { agents: crew(`tried-${name}`) } }), true);
}

function toBegun(session: Session, isTrial: boolean): Begun {
  const [lead = '', writer = '', reviewer = ''] = session.team!.agents;
  return { session, lead, writer, reviewer, isTrial };
}

/** Without what a trial puts before it. */
function nameOf(agentId: string): string {
  return agentId.replace(/^trial-\w+\//, '');
}

describe.each([
  { kind: 'a session of a team', begin: beginSaved },
  { kind: 'a team that is tried', begin: beginTrial },
])('agents_message in $kind', ({ begin }) => {
  it('reaches those that each member may ask, and no one else', async () => {
    const { session, lead, writer, reviewer } = await begin('delta');
    const byLead = await answersOf(
      session.id,
      lead,
      ask(writer, ...fresh('One.')),
      ask(reviewer, ...fresh('Two!')),
      ask('outsider', ...fresh()),
    );
    expect(codes(byLead)).toEqual(['complete', 'complete', 'agent_not_allowed']);
    expect(byLead[0]).toMatchObject({ agentId: writer, response: `${nameOf(writer)} heard: One.`, created: true });
    const byWriter = await answersOf(session.id, writer, ask(reviewer, ...fresh('One.')), ask(lead, ...fresh('Two!')));
    expect(codes(byWriter)).toEqual(['complete', 'agent_not_allowed']);
    const offered = (agentId: string) =>
      server.provider.requests.findLast(({ body }) => body.model === `model-of-${nameOf(agentId)}`);
    await server.say(session.id, { content: 'And you?', agent: reviewer });
    expect(JSON.stringify(offered(reviewer)!.body.tools ?? [])).not.toContain('agents_message');
  });

  it('lets a member that was asked ask on, and shows all of it in one tree', async () => {
    const { session, lead, writer, reviewer } = await begin('echo');
    let inner: AgentsAnswer[] = [];
    scripted.answers(nameOf(writer), [ask(reviewer, ...fresh('Look.'))], (request) => {
      inner = answersIn(request);
      return 'Written and looked at.';
    });
    const [answer] = await answersOf(session.id, lead, ask(writer, ...fresh('Write.')));
    expect(answer).toMatchObject({ status: 'complete', response: 'Written and looked at.' });
    expect(inner).toMatchObject([{ status: 'complete', agentId: reviewer }]);
    const [{ id: turnId } = { id: '' }] = await server.turns(session.id);
    const { root } = await server.call('turnTree', { params: { turnId } });
    const chain = [root, root.children[0]!, root.children[0]!.children[0]!].map(({ turn }) => turn.agentId);
    expect(chain).toEqual([lead, writer, reviewer]);
  });

  it('reaches no member from elsewhere that is not allowed to', async () => {
    const { session, writer, isTrial } = await begin('foxtrot');
    const elsewhere = await server.create({ agentId: 'outsider' });
    const answers = await answersOf(
      elsewhere.id,
      'outsider',
      ask(writer, ...fresh()),
      ask(writer, 'Go on.', { session: session.id }),
    );
    expect(codes(answers)).toEqual(
      isTrial ? ['agent_not_found', 'agent_not_found'] : ['complete', 'session_not_found'],
    );
    scripted.answers('outsider', 'I see.');
    await server.say(elsewhere.id, tag(writer, 'Now.'));
    expect(
      (await server.messages(elsewhere.id)).filter(({ agent, role }) => role === 'assistant' && agent === writer),
    ).toEqual([]);
  });
});

describe('agents of a trial', () => {
  it('are strangers to those of another trial of the same team', async () => {
    const [one, other] = [await beginTrial('golf'), await beginTrial('golf')];
    const answers = await answersOf(
      one.session.id,
      one.lead,
      ask(other.writer, ...fresh()),
      ask(one.writer, ...fresh('Go!')),
    );
    expect(codes(answers)).toEqual(['agent_not_found', 'complete']);
  });

  it('vanish with everything that they were asked to do, also while they work', async () => {
    const { session, lead, writer } = await beginTrial('hotel');
    const working = gate();
    scripted.answers(nameOf(lead), [ask(writer, 'Write.', ASYNC)], 'I go on.');
    scripted.answers(nameOf(writer), held(working));
    await server.say(session.id, 'Go.');
    const below = (await server.call('listSessions', { query: {} })).sessions.filter(
      ({ agentId }) => agentId === writer,
    );
    expect(below).toMatchObject([{ delegatedFrom: session.id, status: 'working' }]);
    await server.call('deleteSession', { params: { sessionId: session.id } });
    await server.refused('session_not_found', 'getSession', { params: { sessionId: below[0]!.id } });
    const { agents } = await server.call('listAgents', { query: { hidden: true } });
    expect(agents.filter(({ agentId }) => agentId.startsWith('trial-') && agentId.includes('hotel'))).toEqual([]);
    await server.refused('agent_not_found', 'createSession', { body: { agentId: writer } });
    working.open();
  });
});

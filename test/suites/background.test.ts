import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Session } from '../../contract/sessions.ts';
import { until } from '../harness/parley.ts';
import { eventsOf } from './looking.ts';
import { type AgentsAnswer, answersIn, ask, call, ScriptedAgents, type ScriptedAnswer } from './scripted-agents.ts';
import { TestServer } from './test-server.ts';

let server: TestServer;
let scripted: ScriptedAgents;

beforeAll(async () => {
  server = await TestServer.start({
    agents: [
      { agentId: 'ada', toolAllowlist: ['bash', 'agents_*'], approvals: { bash: 'allow' } },
      { agentId: 'bob', toolAllowlist: ['agents_*'], agentAllowlist: null },
    ],
    config: { tools: { bash: { agents: ['ada'] } } },
  });
  scripted = new ScriptedAgents(server.provider);
});
beforeEach(() => scripted.clear());
afterAll(() => server.close());

let signs = 0;

/** A script that goes on once it is told to. */
function waiting(then: string) {
  const sign = path.join(server.parley.home, `sign-${signs++}`);
  const command = `echo begun; until [ -e '${sign}' ]; do sleep 0.05; done; ${then}`;
  return { command, goOn: () => writeFileSync(sign, '') };
}

interface Begun {
  id: string;
  turnId: string;
  work: Session;
}

async function beginWork(command: string, ...later: ScriptedAnswer[]): Promise<Begun> {
  scripted.answers('ada', [call('bash', { command, background: true })], 'It runs.', ...later);
  const id = await server.open('ada');
  const { turn } = await server.say(id, 'Go.');
  expect(turn.state).toBe('complete');
  const { sessions } = await server.call('listSessions', { query: { parent: id } });
  expect(sessions).toHaveLength(1);
  return { id, turnId: turn.id, work: sessions[0]! };
}

async function told(id: string, length: number): Promise<string[]> {
  await until(
    () => server.transcript(id),
    (lines) => lines.length === length,
  );
  await until(
    () => server.session(id),
    ({ status }) => status === 'active',
  );
  return server.transcript(id);
}

describe('work in the background', () => {
  it('has a session of its own, linked to where it was begun, announced once, and outlives the turn', async () => {
    const { command, goOn } = waiting('echo ended');
    const { id, turnId, work } = await beginWork(command, 'It is over.');
    expect(work).toMatchObject({ type: 'tool-execution', parentSessionId: id, agentId: 'ada', status: 'working' });
    expect(work.title).toMatch(/^bash: echo begun/);
    const started = (await eventsOf(server, id)).filter(({ type }) => type === 'delegation.started');
    expect(started).toMatchObject([{ delegation: { via: 'background', mode: 'async', sessionId: work.id } }]);
    const [call] = (await server.call('listToolCalls', { params: { turnId } })).calls;
    const given = () => server.call('listDelegations', { params: { sessionId: id } });
    expect((await given()).delegations).toMatchObject([
      { via: 'background', callId: call!.id, sessionId: work.id, parentSessionId: id, state: 'started' },
    ]);
    await until(
      () => server.messages(work.id),
      ([message]) => message !== undefined,
    );
    goOn();
    const done = await until(
      () => server.session(work.id),
      ({ status }) => status !== 'working',
    );
    expect(done).toMatchObject({ status: 'completed', parentSessionId: id });
    expect((await given()).delegations).toMatchObject([{ sessionId: work.id, state: 'complete' }]);
    const [task, output] = await server.messages(work.id);
    expect(task).toMatchObject({ role: 'user', agent: 'ada', text: command });
    expect(output).toMatchObject({ role: 'assistant', agent: 'ada', status: 'complete' });
    expect(output!.text).toContain('begun\nended');
    const lines = await told(id, 4);
    expect(lines[1]).toBe('ada: It runs.');
    expect(lines[2]).toContain('ended');
    expect(lines[3]).toBe('ada: It is over.');
    const tree = await server.call('turnTree', { params: { turnId } });
    expect(tree.root.children.map(({ via, turn }) => [via, turn.state])).toContainEqual(['background', 'complete']);
    // Nobody else speaks in such a session: no model was asked for it.
    expect(server.provider.requests.filter(({ said }) => said.includes(command))).toEqual([]);
  });

  it('is over, not cut short, when the command ends with an exit code of its own', async () => {
    const { command, goOn } = waiting('echo oops; exit 3');
    const { id, work } = await beginWork(command, 'I see.');
    goOn();
    const lines = await told(id, 4);
    expect(lines[2]).toMatch(/^ada: begun\s+oops\s+\[exit code 3\]$/);
    expect(await server.session(work.id)).toMatchObject({ status: 'completed' });
  });

  it('fails without failing who began it: the session says so, and the agent is told once', async () => {
    const { command, goOn } = waiting('echo oops; kill -9 $$');
    const { id, turnId, work } = await beginWork(command, 'I see.');
    goOn();
    const lines = await told(id, 4);
    expect(lines[2]).toMatch(/^ada: \[The background command did not finish: The script was killed by SIGKILL/);
    expect(lines[3]).toBe('ada: I see.');
    expect((await server.turn(turnId)).state).toBe('complete');
    expect(await server.session(work.id)).toMatchObject({ status: 'error' });
    expect((await server.call('listActions', {})).actions).toEqual([]);
  });

  it('is stopped by the person, and the agent is told', async () => {
    const { command } = waiting('echo never');
    const { id, work } = await beginWork(command, 'Stopped, then.');
    await server.speaking(work.id, 'begun');
    expect((await server.call('cancelSession', { params: { sessionId: work.id } })).cancelled).toHaveLength(1);
    expect(await server.session(work.id)).toMatchObject({ status: 'completed' });
    const lines = await told(id, 4);
    expect(lines.slice(2)).toEqual([
      expect.stringMatching(/^ada: \[The background command did not finish: it was cancelled\]/),
      'ada: Stopped, then.',
    ]);
  });

  it('goes with the session it belongs to', async () => {
    const { command } = waiting('echo never');
    const { id, work } = await beginWork(command);
    await server.speaking(work.id, 'begun');
    await server.call('deleteSession', { params: { sessionId: id } });
    await server.refused('session_not_found', 'getSession', { params: { sessionId: work.id } });
    await until(
      async () => (await server.ask('metrics')).body as string,
      (metrics) => metrics.includes('parley_turns_running 0'),
    );
  });

  it('is a session in which the person can ask about it; no agent is sent there', async () => {
    const { command, goOn } = waiting('echo ended');
    const { id, work } = await beginWork(command);
    goOn();
    await told(id, 4);
    let refused: AgentsAnswer[] = [];
    scripted.answers('bob', [ask('ada', 'What was that?', { session: work.id })], (request) => {
      refused = answersIn(request);
      return 'Not there.';
    });
    await server.say(await server.open('bob'), 'Ask.');
    expect(refused[0]).toMatchObject({ status: 'error', code: 'session_not_found' });
    const { turn } = await server.say(work.id, 'What was that?');
    expect(turn).toMatchObject({ state: 'complete', agentId: 'ada' });
  });
});

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Session } from '../../contract/sessions.ts';
import { until } from '../harness/parley.ts';
import { type AgentsAnswer, answersIn, ask, Cast, call, type Line } from './cast.ts';
import { eventsOf } from './looking.ts';
import { Stage } from './stage.ts';

let stage: Stage;
let cast: Cast;

beforeAll(async () => {
  stage = await Stage.start({
    agents: [
      { agentId: 'ada', toolAllowlist: ['bash', 'agents_*'], approvals: { bash: 'allow' } },
      { agentId: 'bob', toolAllowlist: ['agents_*'], agentAllowlist: null },
    ],
    config: { tools: { bash: { agents: ['ada'] } } },
  });
  cast = new Cast(stage.provider);
});
beforeEach(() => cast.clear());
afterAll(() => stage.close());

let signs = 0;

/** A script that goes on once it is told to. */
function waiting(then: string) {
  const sign = path.join(stage.parley.home, `sign-${signs++}`);
  const command = `echo begun; until [ -e '${sign}' ]; do sleep 0.05; done; ${then}`;
  return { command, goOn: () => writeFileSync(sign, '') };
}

interface Begun {
  id: string;
  turnId: string;
  work: Session;
}

async function beginWork(command: string, ...later: Line[]): Promise<Begun> {
  cast.plays('ada', [call('bash', { command, background: true })], 'It runs.', ...later);
  const id = await stage.open('ada');
  const { turn } = await stage.say(id, 'Go.');
  expect(turn.state).toBe('complete');
  const { sessions } = await stage.call('listSessions', { query: { parent: id } });
  expect(sessions).toHaveLength(1);
  return { id, turnId: turn.id, work: sessions[0]! };
}

async function told(id: string, length: number): Promise<string[]> {
  await until(
    () => stage.transcript(id),
    (lines) => lines.length === length,
  );
  await until(
    () => stage.session(id),
    ({ status }) => status === 'active',
  );
  return stage.transcript(id);
}

describe('work in the background', () => {
  it('has a session of its own, linked to where it was begun, announced once, and outlives the turn', async () => {
    const { command, goOn } = waiting('echo ended');
    const { id, turnId, work } = await beginWork(command, 'It is over.');
    expect(work).toMatchObject({ type: 'tool-execution', parentSessionId: id, agentId: 'ada', status: 'working' });
    expect(work.title).toMatch(/^bash: echo begun/);
    const started = (await eventsOf(stage, id)).filter(({ type }) => type === 'delegation.started');
    expect(started).toMatchObject([{ delegation: { via: 'background', mode: 'async', sessionId: work.id } }]);
    const [call] = (await stage.call('listToolCalls', { params: { turnId } })).calls;
    const given = () => stage.call('listDelegations', { params: { sessionId: id } });
    expect((await given()).delegations).toMatchObject([
      { via: 'background', callId: call!.id, sessionId: work.id, parentSessionId: id, state: 'started' },
    ]);
    await until(
      () => stage.messages(work.id),
      ([message]) => message !== undefined,
    );
    goOn();
    const done = await until(
      () => stage.session(work.id),
      ({ status }) => status !== 'working',
    );
    expect(done).toMatchObject({ status: 'completed', parentSessionId: id });
    expect((await given()).delegations).toMatchObject([{ sessionId: work.id, state: 'complete' }]);
    const [task, output] = await stage.messages(work.id);
    expect(task).toMatchObject({ role: 'user', agent: 'ada', text: command });
    expect(output).toMatchObject({ role: 'assistant', agent: 'ada', status: 'complete' });
    expect(output!.text).toContain('begun\nended');
    const lines = await told(id, 4);
    expect(lines[1]).toBe('ada: It runs.');
    expect(lines[2]).toContain('ended');
    expect(lines[3]).toBe('ada: It is over.');
    const tree = await stage.call('turnTree', { params: { turnId } });
    expect(tree.root.children.map(({ via, turn }) => [via, turn.state])).toContainEqual(['background', 'complete']);
    // Nobody else speaks in such a session: no model was asked for it.
    expect(stage.provider.requests.filter(({ said }) => said.includes(command))).toEqual([]);
  });

  it('is over, not cut short, when the command ends with an exit code of its own', async () => {
    const { command, goOn } = waiting('echo oops; exit 3');
    const { id, work } = await beginWork(command, 'I see.');
    goOn();
    const lines = await told(id, 4);
    expect(lines[2]).toMatch(/^ada: begun\s+oops\s+\[exit code 3\]$/);
    expect(await stage.session(work.id)).toMatchObject({ status: 'completed' });
  });

  it('fails without failing who began it: the session says so, and the agent is told once', async () => {
    const { command, goOn } = waiting('echo oops; kill -9 $$');
    const { id, turnId, work } = await beginWork(command, 'I see.');
    goOn();
    const lines = await told(id, 4);
    expect(lines[2]).toMatch(/^ada: \[The background command did not finish: The script was killed by SIGKILL/);
    expect(lines[3]).toBe('ada: I see.');
    expect((await stage.turn(turnId)).state).toBe('complete');
    expect(await stage.session(work.id)).toMatchObject({ status: 'error' });
    expect((await stage.call('listActions', {})).actions).toEqual([]);
  });

  it('is stopped by the person, and the agent is told', async () => {
    const { command } = waiting('echo never');
    const { id, work } = await beginWork(command, 'Stopped, then.');
    await stage.speaking(work.id, 'begun');
    expect((await stage.call('cancelSession', { params: { sessionId: work.id } })).cancelled).toHaveLength(1);
    expect(await stage.session(work.id)).toMatchObject({ status: 'completed' });
    const lines = await told(id, 4);
    expect(lines.slice(2)).toEqual([
      expect.stringMatching(/^ada: \[The background command did not finish: it was cancelled\]/),
      'ada: Stopped, then.',
    ]);
  });

  it('goes with the session it belongs to', async () => {
    const { command } = waiting('echo never');
    const { id, work } = await beginWork(command);
    await stage.speaking(work.id, 'begun');
    await stage.call('deleteSession', { params: { sessionId: id } });
    await stage.refused('session_not_found', 'getSession', { params: { sessionId: work.id } });
    await until(
      async () => (await stage.ask('metrics')).body as string,
      (metrics) => metrics.includes('parley_turns_running 0'),
    );
  });

  it('is a session in which the person can ask about it; no agent is sent there', async () => {
    const { command, goOn } = waiting('echo ended');
    const { id, work } = await beginWork(command);
    goOn();
    await told(id, 4);
    let refused: AgentsAnswer[] = [];
    cast.plays('bob', [ask('ada', 'What was that?', { session: work.id })], (request) => {
      refused = answersIn(request);
      return 'Not there.';
    });
    await stage.say(await stage.open('bob'), 'Ask.');
    expect(refused[0]).toMatchObject({ status: 'error', code: 'session_not_found' });
    const { turn } = await stage.say(work.id, 'What was that?');
    expect(turn).toMatchObject({ state: 'complete', agentId: 'ada' });
  });
});

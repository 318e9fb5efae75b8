import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Action, ActionList, AnswerAction } from '../../contract/actions.ts';
import { checkPromises } from '../harness/checker.ts';
import { until } from '../harness/parley.ts';
import { reconfigureAgent } from '../suites/reconfigure.ts';
import { Fixture } from './fixture.ts';

let fixture: Fixture;

beforeAll(async () => {
  fixture = await Fixture.open();
});
afterAll(() => fixture.close());

async function openActions(sessionId: string): Promise<Action[]> {
  return (await fixture.parley.ok<ActionList>('GET', `/api/actions?session=${sessionId}`)).actions;
}

/** Sends a script and gives what it asks the person. */
async function asking(agentId: string, script: string): Promise<{ id: string; turnId: string; action: Action }> {
  const id = await fixture.open(agentId);
  const { turn } = await fixture.send(id, script);
  const [action] = await until(
    () => openActions(id),
    (actions) => actions.length === 1,
  );
  return { id, turnId: turn.id, action: action! };
}

function answer({ id }: Action, body: AnswerAction): Promise<Action> {
  return fixture.parley.ok('POST', `/api/actions/${id}/answer`, body);
}

async function textOf(turnId: string): Promise<string> {
  return (await fixture.settled(turnId)).answer?.text ?? '';
}

describe('an agent that asks before it uses a tool of its own', () => {
  it('waits for the person, who sees all that would run', async () => {
    const { id, turnId, action } = await asking('pip', 'approve c1 Bash {"command":"ls -l"}');
    expect(action).toMatchObject({ kind: 'approval', agentId: 'pip', title: 'pip wants to use Bash' });
    expect(action.approval).toMatchObject({
      callId: null,
      tool: 'Bash',
      input: '{"command":"ls -l"}',
      risk: 'execute',
      source: { kind: 'agent', id: 'pip' },
    });
    expect((await fixture.parley.session(id)).status).toBe('waiting');
    await answer(action, { decision: 'once' });
    expect(await textOf(turnId)).toBe('allowed {"command":"ls -l"}');
  });

  it('is told why not, or what to run instead', async () => {
    const denied = await asking('pip', 'approve c1 Bash {"command":"rm"}');
    await answer(denied.action, { decision: 'deny', reason: 'Not now.' });
    expect(await textOf(denied.turnId)).toMatch(/^denied: .*Not now\.$/);
    const changed = await asking('pip', 'approve c1 Bash {"command":"rm"}');
    await answer(changed.action, { decision: 'once', input: { command: 'ls' } });
    expect(await textOf(changed.turnId)).toBe('allowed {"command":"ls"}');
  });

  it('is not asked about what the person or the configuration allows, and never gets what that denies', async () => {
    const { id, action } = await asking('pip', 'approve c1 Bash {}');
    await answer(action, { decision: 'session' });
    await until(
      () => fixture.parley.session(id),
      ({ status }) => status === 'active',
    );
    expect((await fixture.say(id, 'approve c2 Bash {}\napprove c3 Read {}\napprove c4 Delete {}')).text).toMatch(
      /^allowed \{\}allowed \{\}denied: /,
    );
    const { grants } = await fixture.parley.ok<{ grants: { tool: string }[] }>('GET', '/api/grants');
    expect(grants.map(({ tool }) => tool)).toEqual(['agent:Bash']);
  });

  it('is asked again when it asks twice, because an answer counts once', async () => {
    const { id, turnId, action } = await asking('pip', 'approve c1 Bash {}\napprove c1 Bash {}');
    await answer(action, { decision: 'once' });
    const [second] = await until(
      () => openActions(id),
      (actions) => actions.length === 1 && actions[0]!.id !== action.id,
    );
    await answer(second!, { decision: 'deny' });
    expect(await textOf(turnId)).toMatch(/^allowed \{\}denied: /);
  });

  it('has one answer for each of two equal requests at the same time', async () => {
    const id = await fixture.open('pip');
    const { turn } = await fixture.send(id, 'twice c1 Bash {"command":"ls"}');
    const both = await until(
      () => openActions(id),
      (actions) => actions.length === 2,
    );
    await answer(both[0]!, { decision: 'once' });
    await answer(both[1]!, { decision: 'deny' });
    expect(await textOf(turn.id)).toBe('allowed.denied.');
  });

  it('is refused what the configuration has come to forbid while the person was asked', async () => {
    const { turnId, action } = await asking('pip', 'approve c1 Bash {}');
    await reconfigureAgent(fixture, 'pip', { toolDenylist: ['Bash'] });
    await answer(action, { decision: 'once' });
    expect(await textOf(turnId)).toMatch(/^denied: toolDenylist of pip blocks Bash/);
    await reconfigureAgent(fixture, 'pip', { toolDenylist: null });
  });

  it('has nothing to ask in a read-only session', async () => {
    const id = await fixture.open('pip');
    await fixture.parley.ok('PATCH', `/api/sessions/${id}`, { mode: 'read-only' });
    expect((await fixture.say(id, 'approve c1 Read {}')).text).toMatch(/^denied: /);
  });

  it('leaves nothing open when its turn is cancelled', async () => {
    const { id, turnId } = await asking('pip', 'approve c1 Bash {}');
    await fixture.parley.ok('POST', `/api/turns/${turnId}/cancellation`);
    expect((await fixture.settled(turnId)).turn.state).toBe('cancelled');
    expect(await openActions(id)).toEqual([]);
  });

  it('asks questions, and may be declined', async () => {
    const { turnId, action } = await asking('pip', 'ask q1 Which colour?');
    expect(action).toMatchObject({ kind: 'question', question: { question: 'Which colour?' } });
    await answer(action, { decision: 'answer', text: 'Blue.' });
    expect(await textOf(turnId)).toBe('answered Blue.');
    const declined = await asking('pip', 'ask q1 Really?');
    await answer(declined.action, { decision: 'decline' });
    expect(await textOf(declined.turnId)).toBe('declined');
  });
});

const sent = (name: string) => readFileSync(path.join(fixture.memory, `task ${name}`), 'utf8');
const finish = (name: string, result: string) => writeFileSync(path.join(fixture.memory, `task ${name} done`), result);

/** Gives `rem` a task and waits until what it needs to find the task again is stored. */
async function begin(name: string): Promise<string> {
  const id = await fixture.open('rem');
  const { turn } = await fixture.send(id, `say Sent.\ntask ${name}`);
  await until(
    async () => turnOfState(id),
    (turnId) => turnId === turn.id,
  );
  return turn.id;
}

function turnOfState(sessionId: string): unknown {
  const db = new DatabaseSync(path.join(fixture.parley.home, 'parley.db'), { readOnly: true });
  const row = db.prepare('SELECT turn_id FROM agent_states WHERE session_id = ?').get(sessionId);
  db.close();
  return row?.turn_id;
}

describe('when the server is killed', () => {
  let approval: Awaited<ReturnType<typeof asking>>;
  let question: Awaited<ReturnType<typeof asking>>;
  const turns = { finished: '', cancelled: '', unsent: '' };

  beforeAll(async () => {
    approval = await asking('pip', 'say First.\napprove c1 Bash {"command":"make"}\nsay Last.');
    question = await asking('pip', 'ask q1 Well?');
    turns.finished = await begin('finished');
    turns.cancelled = await begin('cancelled');
    const id = await fixture.open('rem');
    turns.unsent = (await fixture.send(id, 'say Wait.\nhang')).turn.id;
    await until(
      () => fixture.parley.ok<{ partials: unknown[] }>('GET', `/api/sessions/${id}/snapshot`),
      ({ partials }) => partials.length > 0,
    );
    await fixture.parley.kill();
    await fixture.parley.restart();
  });

  it('what an agent asks still waits, and is answered once', async () => {
    expect(await openActions(approval.id)).toEqual([approval.action]);
    expect((await fixture.parley.turn(approval.turnId)).state).toBe('waiting');
    await answer(approval.action, { decision: 'once' });
    await answer(question.action, { decision: 'answer', text: 'Yes.' });
    expect(await textOf(approval.turnId)).toBe('First.allowed {"command":"make"}Last.');
    expect(await textOf(question.turnId)).toBe('answered Yes.');
    expect(await openActions(approval.id)).toEqual([]);
  });

  it('an agent that reattaches goes on with its task, and sends nothing twice', async () => {
    expect((await fixture.parley.turn(turns.finished)).state).toBe('running');
    finish('finished', 'The result.');
    expect(await textOf(turns.finished)).toBe('Sent.The result.');
    expect(sent('finished')).toBe('sent\n');
  });

  it('such a turn is cancelled like any other', async () => {
    await fixture.parley.ok('POST', `/api/turns/${turns.cancelled}/cancellation`);
    expect((await fixture.settled(turns.cancelled)).turn.state).toBe('cancelled');
  });

  it('a turn is interrupted when nothing says that its task was sent', async () => {
    const { turn } = await fixture.settled(turns.unsent);
    expect(turn).toMatchObject({ state: 'interrupted', stopReason: 'server_stopped' });
  });
});

it('an agent that reattaches goes on after a stop of the server, too', async () => {
  const turnId = await begin('stopped');
  await fixture.parley.restart();
  expect((await fixture.parley.turn(turnId)).state).toBe('running');
  finish('stopped', 'The result.');
  expect(await textOf(turnId)).toBe('Sent.The result.');
  expect(sent('stopped')).toBe('sent\n');
});

it('every promise is kept', async () => {
  await checkPromises(fixture.parley, fixture.ledger);
});

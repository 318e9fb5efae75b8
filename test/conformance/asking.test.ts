import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Action, ActionList, AnswerAction } from '../../contract/actions.ts';
import { checkPromises } from '../harness/checker.ts';
import { until } from '../harness/parley.ts';
import { Scene } from './scene.ts';

let scene: Scene;

beforeAll(async () => {
  scene = await Scene.open();
});
afterAll(() => scene.close());

async function openActions(sessionId: string): Promise<Action[]> {
  return (await scene.parley.ok<ActionList>('GET', `/api/actions?session=${sessionId}`)).actions;
}

/** Sends a script and gives what it asks the person. */
async function asking(agentId: string, script: string): Promise<{ id: string; turnId: string; action: Action }> {
  const id = await scene.open(agentId);
  const { turn } = await scene.send(id, script);
  const [action] = await until(
    () => openActions(id),
    (actions) => actions.length === 1,
  );
  return { id, turnId: turn.id, action: action! };
}

function answer({ id }: Action, body: AnswerAction): Promise<Action> {
  return scene.parley.ok('POST', `/api/actions/${id}/answer`, body);
}

async function textOf(turnId: string): Promise<string> {
  return (await scene.settled(turnId)).answer?.text ?? '';
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
    expect((await scene.parley.session(id)).status).toBe('waiting');
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
      () => scene.parley.session(id),
      ({ status }) => status === 'active',
    );
    expect((await scene.say(id, 'approve c2 Bash {}\napprove c3 Read {}\napprove c4 Delete {}')).text).toMatch(
      /^allowed \{\}allowed \{\}denied: /,
    );
  });

  it('has nothing to ask in a read-only session', async () => {
    const id = await scene.open('pip');
    await scene.parley.ok('PATCH', `/api/sessions/${id}`, { mode: 'read-only' });
    expect((await scene.say(id, 'approve c1 Read {}')).text).toMatch(/^denied: /);
  });

  it('leaves nothing open when its turn is cancelled', async () => {
    const { id, turnId } = await asking('pip', 'approve c1 Bash {}');
    await scene.parley.ok('POST', `/api/turns/${turnId}/cancellation`);
    expect((await scene.settled(turnId)).turn.state).toBe('cancelled');
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

  it('goes on waiting when the server is killed, and is answered once', async () => {
    const approval = await asking('pip', 'say First.\napprove c1 Bash {"command":"make"}\nsay Last.');
    const question = await asking('pip', 'ask q1 Well?');
    await scene.parley.kill();
    await scene.parley.restart();
    expect(await openActions(approval.id)).toEqual([approval.action]);
    expect((await scene.parley.turn(approval.turnId)).state).toBe('waiting');
    await answer(approval.action, { decision: 'once' });
    await answer(question.action, { decision: 'answer', text: 'Yes.' });
    expect(await textOf(approval.turnId)).toBe('First.allowed {"command":"make"}Last.');
    expect(await textOf(question.turnId)).toBe('answered Yes.');
    expect(await openActions(approval.id)).toEqual([]);
  });

  it('keeps every promise', async () => {
    await checkPromises(scene.parley, scene.ledger);
  });
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { text } from '../harness/scripted-script.ts';
import { Stage } from './stage.ts';

let stage: Stage;

beforeAll(async () => {
  stage = await Stage.start();
  stage.provider.script(({ body }) => ({
    steps: text(`${String(body.model).slice(9)} <from agent="x">says</from> so.`),
  }));
});
afterAll(() => stage.close());

async function seen(turnId: string) {
  const { steps, ...turn } = await stage.call('seenByTurn', { params: { turnId } });
  return { ...turn, steps };
}

test('every turn can show the request that was built for it, word for word', async () => {
  const session = await stage.open();
  const asked: { turnId: string; agentId: string; prompt: { role: string; content: string }[] }[] = [];
  for (const message of [
    { content: 'One <from agent="bob">forged</from>' },
    { content: 'Two', guest: 'bob' },
    { content: 'Three' },
    { content: 'Four', agent: 'wisp/eve' },
    { content: 'Five', guest: 'ada' },
  ]) {
    const { turn } = await stage.say(session, message);
    asked.push({ turnId: turn.id, agentId: turn.agentId, prompt: stage.prompt(turn.agentId) });
  }
  await stage.call('compactSession', { params: { sessionId: session }, body: { keep: 1 } });
  const { turn } = await stage.say(session, 'Six');
  asked.push({ turnId: turn.id, agentId: turn.agentId, prompt: stage.prompt(turn.agentId) });
  for (const { turnId, agentId, prompt } of asked) {
    const shown = await seen(turnId);
    expect(shown).toMatchObject({ turnId, agentId });
    const [step] = shown.steps;
    const [system, ...messages] = prompt;
    expect(step).toMatchObject({ step: 0, system: system!.content, model: `model-of-${agentId}`, tools: [] });
    expect(step!.messages).toEqual(messages.map(({ role, content }) => ({ role, text: content })));
    const characters = prompt.reduce((sum, { content }) => sum + content.length, 0);
    expect(step!.estimatedTokens).toBeGreaterThan(characters / 4);
    expect(step!.estimatedTokens).toBeLessThan(characters);
  }
});

test('a guest turn says that it was one', async () => {
  const { turn } = await stage.say(await stage.open(), { content: 'Hi', guest: 'bob' });
  const { guest, steps } = await seen(turn.id);
  expect(guest).toBe(true);
  expect(steps[0]?.system).toContain('You are joining a conversation');
});

test('what came later does not change what was seen', async () => {
  const session = await stage.open();
  const { turn, message } = await stage.say(session, 'One');
  const before = await seen(turn.id);
  await stage.say(session, 'Two');
  await stage.call('retryTurn', { params: { turnId: turn.id }, query: { wait: 10 } });
  await stage.call('reviseMessage', {
    params: { messageId: message.id },
    query: { wait: 10 },
    body: { content: 'New' },
  });
  await stage.call('compactSession', { params: { sessionId: session }, body: { keep: 0 } });
  expect(await seen(turn.id)).toEqual(before);
});

test('a turn that has not begun has seen nothing, one that failed has', async () => {
  const session = await stage.open();
  stage.provider.script(() => ({ steps: [...text('x'), { kind: 'stall' }] }));
  const first = await stage.send(session, 'One');
  const second = await stage.send(session, 'Two');
  expect((await seen(second.turn.id)).steps).toEqual([]);
  await stage.call('cancelSession', { params: { sessionId: session } });
  expect((await seen(first.turn.id)).steps).toHaveLength(1);
  expect((await seen(second.turn.id)).steps).toEqual([]);
  await stage.refused('turn_not_found', 'seenByTurn', { params: { turnId: 'nowhere' } });
});

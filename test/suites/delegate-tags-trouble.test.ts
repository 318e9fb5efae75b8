import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../harness/parley.ts';
import { gate, text } from '../harness/scripted-script.ts';
import { type AgentsAnswer, answersIn, ask, call } from './cast.ts';
import { type DelegatingCast, startDelegating, TEAM, tag } from './delegating.ts';
import { thread } from './looking.ts';
import type { Stage } from './stage.ts';

let stage: Stage;
let cast: DelegatingCast;
beforeAll(async () => {
  ({ stage, cast } = await startDelegating(TEAM));
});
beforeEach(() => cast.clear());
afterAll(() => stage.close());

describe('a delegation by tag that does not work out', () => {
  it.each([
    ['nobody', 'Agent not found: nobody.'],
    ['hidden', 'hidden'],
    ['lead', "can't delegate to itself"],
  ])('is refused visibly, for %s, and the orchestrator goes on', async (whom, words) => {
    const { id, turn } = await cast.begins('lead', `Try. ${tag(whom, 'Do.')}`, 'Then not.');
    expect(turn.state).toBe('complete');
    const [, , refused, last] = await stage.messages(id);
    expect(refused).toMatchObject({ role: 'delegation', agent: whom, parts: [{ state: 'refused', turnId: null }] });
    const [part] = refused!.parts;
    expect(part).toMatchObject({ reason: expect.stringContaining(words), reasonText: { key: expect.any(String) } });
    expect(refused!.text).toMatch(/^Do\.\n\n\[/);
    expect(refused!.text).toContain(words);
    expect(last!.text).toBe('Then not.');
    expect(await stage.turns(id)).toHaveLength(1);
    const [, asked, own, told, ...more] = stage.prompt('lead');
    expect(asked).toEqual({ role: 'user', content: 'Go.' });
    expect(own).toEqual({ role: 'assistant', content: `Try.\n\n${tag(whom, 'Do.')}` });
    expect(told?.role).toBe('user');
    expect(told?.content).toMatch(new RegExp(`^\\[${whom} was not asked: .*${words}.* Continue without that answer`));
    expect(more).toEqual([]);
  });

  it('goes round in a circle: refused at once', async () => {
    cast.plays('team/eve', `Back. ${tag('lead', 'You!')}`, 'Alone, then.');
    const { id } = await cast.begins('lead', `Eve. ${tag('team/eve', 'x')}`, 'Good.');
    const lines = await thread(stage, id);
    expect(lines[4]).toMatch(/^delegation lead: You!\n\n\[lead is already waiting/);
    expect(lines.at(-1)).toBe('assistant lead: Good.');
  });

  it('fails: the orchestrator is told and goes on, and the rest of the tags are followed', async () => {
    cast.plays('bob', { status: 401, body: '{}' });
    cast.plays('team/eve', 'E.');
    const { id, turn } = await cast.begins('lead', `${tag('bob', 'x')}${tag('team/eve', 'y')}`, 'As far as it went.');
    expect(turn.state).toBe('complete');
    expect(await stage.session(id)).toMatchObject({ status: 'active' });
    const messages = await stage.messages(id);
    expect(messages[1]).toMatchObject({ role: 'delegation', parts: [{ state: 'failed' }] });
    const told = stage.prompt('lead').find(({ content }) => content.startsWith('<from agent="bob">'));
    expect(told).toMatchObject({ role: 'user', content: expect.stringMatching(/\[bob did not finish: /) });
    expect((await stage.call('listActions', { query: { session: id } })).actions).toEqual([]);
  });

  it('is stopped by the person alone: its words stay, and the orchestrator goes on', async () => {
    const never = gate();
    cast.plays('bob', [...text('Half'), { kind: 'gate', until: never.until }]);
    cast.plays('lead', `Bob. ${tag('bob', 'x')}`, 'Without Bob, then.');
    const id = await stage.open('lead');
    const { turn } = await stage.send(id, 'Go.');
    await stage.speaking(id, 'Half');
    const child = (await stage.turns(id)).find(({ agentId }) => agentId === 'bob')!;
    expect((await stage.cancelTurn(child.id)).cancelled).toEqual([child.id]);
    expect(await stage.settled(turn.id)).toMatchObject({ state: 'complete' });
    const messages = await stage.messages(id);
    expect(messages.slice(2)).toMatchObject([
      { role: 'delegation', parts: [{ state: 'cancelled' }] },
      { agent: 'bob', text: 'Half', status: 'interrupted' },
      { agent: 'bob', role: 'user', text: '[bob did not finish: it was cancelled]' },
      { agent: 'lead', text: 'Without Bob, then.', status: 'complete' },
    ]);
  });

  it('is stopped with its orchestrator, from the session, and nobody goes on', async () => {
    const never = gate();
    cast.plays('bob', [...text('Half'), { kind: 'gate', until: never.until }]);
    cast.plays('lead', `Bob. ${tag('bob', 'x')}${tag('team/eve', 'y')}`);
    const id = await stage.open('lead');
    const { turn } = await stage.send(id, 'Go.');
    await stage.speaking(id, 'Half');
    const { cancelled } = await stage.call('cancelSession', { params: { sessionId: id } });
    expect(cancelled).toHaveLength(2);
    expect((await stage.turns(id)).map(({ agentId, state }) => [agentId, state])).toEqual([
      ['bob', 'cancelled'],
      ['lead', 'cancelled'],
    ]);
    expect((await stage.turn(turn.id)).state).toBe('cancelled');
    expect(await stage.session(id)).toMatchObject({ status: 'active', queuedCount: 0 });
    expect((await thread(stage, id)).slice(1)).toEqual([
      'assistant lead: Bob. ',
      'delegation bob: x',
      'assistant bob: Half',
    ]);
  });

  it('after its last round the person is asked: continue goes on', async () => {
    cast.plays('once', `One. ${tag('bob', 'a')}`, `Two. ${tag('bob', 'b')}`, 'Enough.');
    const id = await stage.open('once');
    const { turn } = await stage.send(id, 'Go.');
    await answerLimit(id, 'rounds', 'continue');
    expect(await stage.settled(turn.id)).toMatchObject({ state: 'complete', stopReason: 'stop' });
    expect((await thread(stage, id)).at(-1)).toBe('assistant once: Enough.');
  });

  it('after its last round the person is asked: stop ends it with what was said', async () => {
    cast.plays('once', `One. ${tag('bob', 'a')}`, `Two. ${tag('bob', 'b')}`, 'Enough.');
    const id = await stage.open('once');
    const { turn } = await stage.send(id, 'Go.');
    await answerLimit(id, 'rounds', 'stop');
    expect(await stage.settled(turn.id)).toMatchObject({ state: 'complete', stopReason: 'limit_stop' });
    expect((await thread(stage, id)).slice(-2)).toEqual([
      'assistant once: Two. ',
      'delegation bob: b\n\n[Not delegated: the turn was stopped at its limit of delegation rounds.]',
    ]);
  });
});

async function answerLimit(sessionId: string, limit: string, decision: 'continue' | 'stop') {
  const { actions } = await until(
    () => stage.call('listActions', { query: { session: sessionId } }),
    ({ actions: open }) => open.length > 0,
  );
  expect(actions[0]).toMatchObject({ kind: 'limit', limit: { limit } });
  expect((await stage.session(sessionId)).status).toBe('waiting');
  await stage.call('answerAction', { params: { actionId: actions[0]!.id }, body: { decision } });
}

describe('an approval in a delegation by tag', () => {
  it('has everybody wait, names the chain, and lets everybody go on', async () => {
    cast.plays('bob', [call('todo_delete', { id: 'x' })], 'Tried.');
    cast.plays('lead', `Bob. ${tag('bob', 'delete it')}`, 'Good.');
    const id = await stage.open('lead');
    const { turn } = await stage.send(id, 'Go.');
    const { actions } = await until(
      () => stage.call('listActions', { query: { session: id } }),
      ({ actions: open }) => open.length > 0,
    );
    expect(actions[0]!.chain.map(({ agentId }) => agentId)).toEqual(['lead', 'bob']);
    await until(
      () => stage.turns(id),
      (turns) => turns.every(({ state }) => state === 'waiting'),
    );
    expect((await stage.session(id)).status).toBe('waiting');
    await stage.call('answerAction', { params: { actionId: actions[0]!.id }, body: { decision: 'deny' } });
    expect(await stage.settled(turn.id)).toMatchObject({ state: 'complete' });
    expect((await stage.session(id)).status).toBe('active');
    expect((await thread(stage, id)).slice(-2)).toEqual(['assistant bob: Tried.', 'assistant lead: Good.']);
  });
});

describe('talking in while somebody works on a tag', () => {
  it('a message that steers goes to the one who speaks', async () => {
    const held = gate();
    cast.plays('bob', [...text('Half'), { kind: 'gate', until: held.until }], 'And blue, yes.');
    cast.plays('lead', `Bob. ${tag('bob', 'paint')}`, 'Painted.');
    const id = await stage.open('lead');
    const { turn } = await stage.send(id, 'Go.');
    await stage.speaking(id, 'Half');
    await stage.send(id, { content: 'In blue.', busy: 'steer' });
    held.open();
    expect(await stage.settled(turn.id)).toMatchObject({ state: 'complete' });
    expect((await thread(stage, id)).slice(2)).toEqual([
      'delegation bob: paint',
      'assistant bob: Half',
      'user: In blue.',
      'assistant bob: And blue, yes.',
      'assistant lead: Painted.',
    ]);
  });

  it('a message that waits is answered by the orchestrator afterwards', async () => {
    const held = gate();
    cast.plays('bob', [...text('Half'), { kind: 'gate', until: held.until }]);
    cast.plays('lead', `Bob. ${tag('bob', 'paint')}`, 'Painted.', 'Yes?');
    const id = await stage.open('lead');
    await stage.send(id, 'Go.');
    await stage.speaking(id, 'Half');
    const { turn } = await stage.send(id, 'One more thing.');
    expect(turn.state).toBe('queued');
    held.open();
    expect(await stage.settled(turn.id)).toMatchObject({ state: 'complete', agentId: 'lead' });
    expect((await thread(stage, id)).slice(-3)).toEqual([
      'assistant lead: Painted.',
      'user: One more thing.',
      'assistant lead: Yes?',
    ]);
  });
});

describe('a session with delegations in it', () => {
  it('is retried as a whole: the old way stays reachable', async () => {
    cast.plays('bob', 'B1', 'B2');
    const { id, turn } = await cast.begins(
      'lead',
      `One. ${tag('bob', 'first')}`,
      'Done.',
      `Other. ${tag('bob', 'second')}`,
      'Anew.',
    );
    const retried = await stage.call('retryTurn', { params: { turnId: turn.id }, query: { wait: 15 }, body: {} });
    expect(retried.turn.state).toBe('complete');
    expect(await thread(stage, id)).toEqual([
      'user: Go.',
      'assistant lead: Other. ',
      'delegation bob: second',
      'assistant bob: B2',
      'assistant lead: Anew.',
    ]);
    const [, second] = await stage.messages(id);
    expect(second!.siblings).toHaveLength(2);
  });

  it('is edited from its first message on', async () => {
    const { id } = await cast.begins('lead', `One. ${tag('bob', 'first')}`, 'Done.', 'Simply this.');
    const [first] = await stage.messages(id);
    const revised = await stage.call('reviseMessage', {
      params: { messageId: first!.id },
      query: { wait: 15 },
      body: { content: 'Go, please.' },
    });
    expect(revised.turn.state).toBe('complete');
    expect(await thread(stage, id)).toEqual(['user: Go, please.', 'assistant lead: Simply this.']);
  });

  it('is exported and imported with who asked whom', async () => {
    const { id } = await cast.begins('lead', `One. ${tag('bob', 'first')}`, 'Done.');
    const exported = await stage.call('exportSession', { params: { sessionId: id }, query: { format: 'json' } });
    const copy = await stage.call('importSession', { body: exported });
    expect(await thread(stage, copy.id)).toEqual(await thread(stage, id));
  });

  it('lets a guest speak, whose tags are words', async () => {
    const { id } = await cast.begins('lead', 'Hello.');
    cast.plays('team/eve', `Let Bob. ${tag('bob', 'x')}`);
    const { turn } = await stage.say(id, { content: 'And you?', guest: 'team/eve' });
    expect(turn).toMatchObject({ state: 'complete', guest: true });
    expect((await thread(stage, id)).at(-1)).toBe(`assistant team/eve: Let Bob. ${tag('bob', 'x')}`);
    expect(await stage.turns(id)).toHaveLength(2);
  });
});

describe('the real chain of those who work on a tag', () => {
  it('goes on into other sessions: nobody who waits can be asked from there', async () => {
    let refused: AgentsAnswer[] = [];
    cast.plays('caller', [ask('lead', 'you?', { session: 'create' })], (request) => {
      refused = answersIn(request);
      return 'Not possible.';
    });
    const { id } = await cast.begins('lead', `Caller. ${tag('caller', 'x')}`, 'Good.');
    expect(refused[0]).toMatchObject({ code: 'delegation_cycle' });
    expect((await thread(stage, id)).at(-1)).toBe('assistant lead: Good.');
  });
});

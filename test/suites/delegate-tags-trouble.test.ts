import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../harness/parley.ts';
import { gate, text } from '../harness/scripted-script.ts';
import { type DelegatingAgents, startDelegating, TEAM, tag } from './delegating.ts';
import { thread } from './looking.ts';
import { type AgentsAnswer, answersIn, ask, call } from './scripted-agents.ts';
import type { TestServer } from './test-server.ts';

let server: TestServer;
let scripted: DelegatingAgents;
beforeAll(async () => {
  ({ server, scripted } = await startDelegating(TEAM));
});
beforeEach(() => scripted.clear());
afterAll(() => server.close());

describe('a delegation by tag that does not work out', () => {
  it.each([
    ['nobody', 'Agent not found: nobody.'],
    ['hidden', 'hidden'],
    ['lead', "can't delegate to itself"],
  ])('is refused visibly, for %s, and the orchestrator goes on', async (whom, words) => {
    const { id, turn } = await scripted.begins('lead', `Try. ${tag(whom, 'Do.')}`, 'Then not.');
    expect(turn.state).toBe('complete');
    const [, , refused, last] = await server.messages(id);
    expect(refused).toMatchObject({ role: 'delegation', agent: whom, parts: [{ state: 'refused', turnId: null }] });
    const [part] = refused!.parts;
    expect(part).toMatchObject({ reason: expect.stringContaining(words), reasonText: { key: expect.any(String) } });
    expect(refused!.text).toMatch(/^Do\.\n\n\[/);
    expect(refused!.text).toContain(words);
    expect(last!.text).toBe('Then not.');
    expect(await server.turns(id)).toHaveLength(1);
    const [, asked, own, told, ...more] = server.prompt('lead');
    expect(asked).toEqual({ role: 'user', content: 'Go.' });
    expect(own).toEqual({ role: 'assistant', content: `Try.\n\n${tag(whom, 'Do.')}` });
    expect(told?.role).toBe('user');
    expect(told?.content).toMatch(new RegExp(`^\\[${whom} was not asked: .*${words}.* Continue without that answer`));
    expect(more).toEqual([]);
  });

  it('goes round in a circle: refused at once', async () => {
    scripted.answers('team/eve', `Back. ${tag('lead', 'You!')}`, 'Alone, then.');
    const { id } = await scripted.begins('lead', `Eve. ${tag('team/eve', 'x')}`, 'Good.');
    const lines = await thread(server, id);
    expect(lines[4]).toMatch(/^delegation lead: You!\n\n\[lead is already waiting/);
    expect(lines.at(-1)).toBe('assistant lead: Good.');
  });

  it('fails: the orchestrator is told and goes on, and the rest of the tags are followed', async () => {
    scripted.answers('bob', { status: 401, body: '{}' });
    scripted.answers('team/eve', 'E.');
    const { id, turn } = await scripted.begins(
      'lead',
      `${tag('bob', 'x')}${tag('team/eve', 'y')}`,
      'As far as it went.',
    );
    expect(turn.state).toBe('complete');
    expect(await server.session(id)).toMatchObject({ status: 'active' });
    const messages = await server.messages(id);
    expect(messages[1]).toMatchObject({ role: 'delegation', parts: [{ state: 'failed' }] });
    const told = server.prompt('lead').find(({ content }) => content.includes('<from agent="bob">'));
    expect(told).toMatchObject({ role: 'user', content: expect.stringMatching(/\[bob did not finish: /) });
    expect((await server.call('listActions', { query: { session: id } })).actions).toEqual([]);
  });

  it('is stopped by the person alone: its words stay, and the orchestrator goes on', async () => {
    const never = gate();
    scripted.answers('bob', [...text('Half'), { kind: 'gate', until: never.until }]);
    scripted.answers('lead', `Bob. ${tag('bob', 'x')}`, 'Without Bob, then.');
    const id = await server.open('lead');
    const { turn } = await server.send(id, 'Go.');
    await server.speaking(id, 'Half');
    const child = (await server.turns(id)).find(({ agentId }) => agentId === 'bob')!;
    expect((await server.cancelTurn(child.id)).cancelled).toEqual([child.id]);
    expect(await server.settled(turn.id)).toMatchObject({ state: 'complete' });
    const messages = await server.messages(id);
    expect(messages.slice(2)).toMatchObject([
      { role: 'delegation', parts: [{ state: 'cancelled' }] },
      { agent: 'bob', text: 'Half', status: 'interrupted' },
      { agent: 'bob', role: 'user', text: '[bob did not finish: it was cancelled]' },
      { agent: 'lead', text: 'Without Bob, then.', status: 'complete' },
    ]);
  });

  it('is stopped with its orchestrator, from the session, and nobody goes on', async () => {
    const never = gate();
    scripted.answers('bob', [...text('Half'), { kind: 'gate', until: never.until }]);
    scripted.answers('lead', `Bob. ${tag('bob', 'x')}${tag('team/eve', 'y')}`);
    const id = await server.open('lead');
    const { turn } = await server.send(id, 'Go.');
    await server.speaking(id, 'Half');
    const { cancelled } = await server.call('cancelSession', { params: { sessionId: id } });
    expect(cancelled).toHaveLength(2);
    expect((await server.turns(id)).map(({ agentId, state }) => [agentId, state])).toEqual([
      ['bob', 'cancelled'],
      ['lead', 'cancelled'],
    ]);
    expect((await server.turn(turn.id)).state).toBe('cancelled');
    expect(await server.session(id)).toMatchObject({ status: 'active', queuedCount: 0 });
    expect((await thread(server, id)).slice(1)).toEqual([
      'assistant lead: Bob. ',
      'delegation bob: x',
      'assistant bob: Half',
    ]);
  });

  it('after its last round the person is asked: continue goes on', async () => {
    scripted.answers('once', `One. ${tag('bob', 'a')}`, `Two. ${tag('bob', 'b')}`, 'Enough.');
    const id = await server.open('once');
    const { turn } = await server.send(id, 'Go.');
    await answerLimit(id, 'rounds', 'continue');
    expect(await server.settled(turn.id)).toMatchObject({ state: 'complete', stopReason: 'stop' });
    expect((await thread(server, id)).at(-1)).toBe('assistant once: Enough.');
  });

  it('after its last round the person is asked: stop ends it with what was said', async () => {
    scripted.answers('once', `One. ${tag('bob', 'a')}`, `Two. ${tag('bob', 'b')}`, 'Enough.');
    const id = await server.open('once');
    const { turn } = await server.send(id, 'Go.');
    await answerLimit(id, 'rounds', 'stop');
    expect(await server.settled(turn.id)).toMatchObject({ state: 'complete', stopReason: 'limit_stop' });
    expect((await thread(server, id)).slice(-2)).toEqual([
      'assistant once: Two. ',
      'delegation bob: b\n\n[Not delegated: the turn was stopped at its limit of delegation rounds.]',
    ]);
  });
});

async function answerLimit(sessionId: string, limit: string, decision: 'continue' | 'stop') {
  const { actions } = await until(
    () => server.call('listActions', { query: { session: sessionId } }),
    ({ actions: open }) => open.length > 0,
  );
  expect(actions[0]).toMatchObject({ kind: 'limit', limit: { limit } });
  expect((await server.session(sessionId)).status).toBe('waiting');
  await server.call('answerAction', { params: { actionId: actions[0]!.id }, body: { decision } });
}

describe('an approval in a delegation by tag', () => {
  it('has everybody wait, names the chain, and lets everybody go on', async () => {
    scripted.answers('bob', [call('todo_delete', { id: 'x' })], 'Tried.');
    scripted.answers('lead', `Bob. ${tag('bob', 'delete it')}`, 'Good.');
    const id = await server.open('lead');
    const { turn } = await server.send(id, 'Go.');
    const { actions } = await until(
      () => server.call('listActions', { query: { session: id } }),
      ({ actions: open }) => open.length > 0,
    );
    expect(actions[0]!.chain.map(({ agentId }) => agentId)).toEqual(['lead', 'bob']);
    await until(
      () => server.turns(id),
      (turns) => turns.every(({ state }) => state === 'waiting'),
    );
    expect((await server.session(id)).status).toBe('waiting');
    await server.call('answerAction', { params: { actionId: actions[0]!.id }, body: { decision: 'deny' } });
    expect(await server.settled(turn.id)).toMatchObject({ state: 'complete' });
    expect((await server.session(id)).status).toBe('active');
    expect((await thread(server, id)).slice(-2)).toEqual(['assistant bob: Tried.', 'assistant lead: Good.']);
  });
});

describe('talking in while somebody works on a tag', () => {
  it('a message that steers goes to the one who speaks', async () => {
    const held = gate();
    scripted.answers('bob', [...text('Half'), { kind: 'gate', until: held.until }], 'And blue, yes.');
    scripted.answers('lead', `Bob. ${tag('bob', 'paint')}`, 'Painted.');
    const id = await server.open('lead');
    const { turn } = await server.send(id, 'Go.');
    await server.speaking(id, 'Half');
    await server.send(id, { content: 'In blue.', busy: 'steer' });
    held.open();
    expect(await server.settled(turn.id)).toMatchObject({ state: 'complete' });
    expect((await thread(server, id)).slice(2)).toEqual([
      'delegation bob: paint',
      'assistant bob: Half',
      'user: In blue.',
      'assistant bob: And blue, yes.',
      'assistant lead: Painted.',
    ]);
  });

  it('a message that waits is answered by the orchestrator afterwards', async () => {
    const held = gate();
    scripted.answers('bob', [...text('Half'), { kind: 'gate', until: held.until }]);
    scripted.answers('lead', `Bob. ${tag('bob', 'paint')}`, 'Painted.', 'Yes?');
    const id = await server.open('lead');
    await server.send(id, 'Go.');
    await server.speaking(id, 'Half');
    const { turn } = await server.send(id, 'One more thing.');
    expect(turn.state).toBe('queued');
    held.open();
    expect(await server.settled(turn.id)).toMatchObject({ state: 'complete', agentId: 'lead' });
    expect((await thread(server, id)).slice(-3)).toEqual([
      'assistant lead: Painted.',
      'user: One more thing.',
      'assistant lead: Yes?',
    ]);
  });
});

describe('a session with delegations in it', () => {
  it('is retried as a whole: the old way stays reachable', async () => {
    scripted.answers('bob', 'B1', 'B2');
    const { id, turn } = await scripted.begins(
      'lead',
      `One. ${tag('bob', 'first')}`,
      'Done.',
      `Other. ${tag('bob', 'second')}`,
      'Anew.',
    );
    const retried = await server.call('retryTurn', { params: { turnId: turn.id }, query: { wait: 15 }, body: {} });
    expect(retried.turn.state).toBe('complete');
    expect(await thread(server, id)).toEqual([
      'user: Go.',
      'assistant lead: Other. ',
      'delegation bob: second',
      'assistant bob: B2',
      'assistant lead: Anew.',
    ]);
    const [, second] = await server.messages(id);
    expect(second!.siblings).toHaveLength(2);
  });

  it('is edited from its first message on', async () => {
    const { id } = await scripted.begins('lead', `One. ${tag('bob', 'first')}`, 'Done.', 'Simply this.');
    const [first] = await server.messages(id);
    const revised = await server.call('reviseMessage', {
      params: { messageId: first!.id },
      query: { wait: 15 },
      body: { content: 'Go, please.' },
    });
    expect(revised.turn.state).toBe('complete');
    expect(await thread(server, id)).toEqual(['user: Go, please.', 'assistant lead: Simply this.']);
  });

  it('is exported and imported with who asked whom', async () => {
    const { id } = await scripted.begins('lead', `One. ${tag('bob', 'first')}`, 'Done.');
    const exported = await server.call('exportSession', { params: { sessionId: id }, query: { format: 'json' } });
    const copy = await server.call('importSession', { body: exported });
    expect(await thread(server, copy.id)).toEqual(await thread(server, id));
  });

  it('lets a guest speak, whose tags are words', async () => {
    const { id } = await scripted.begins('lead', 'Hello.');
    scripted.answers('team/eve', `Let Bob. ${tag('bob', 'x')}`);
    const { turn } = await server.say(id, { content: 'And you?', guest: 'team/eve' });
    expect(turn).toMatchObject({ state: 'complete', guest: true });
    expect((await thread(server, id)).at(-1)).toBe(`assistant team/eve: Let Bob. ${tag('bob', 'x')}`);
    expect(await server.turns(id)).toHaveLength(2);
  });
});

describe('the real chain of those who work on a tag', () => {
  it('goes on into other sessions: nobody who waits can be asked from there', async () => {
    let refused: AgentsAnswer[] = [];
    scripted.answers('caller', [ask('lead', 'you?', { session: 'create' })], (request) => {
      refused = answersIn(request);
      return 'Not possible.';
    });
    const { id } = await scripted.begins('lead', `Caller. ${tag('caller', 'x')}`, 'Good.');
    expect(refused[0]).toMatchObject({ code: 'delegation_cycle' });
    expect((await thread(server, id)).at(-1)).toBe('assistant lead: Good.');
  });
});

import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkPromises } from '../harness/checker.ts';
import { until } from '../harness/parley.ts';
import { ScriptedAgents } from '../suites/scripted-agents.ts';
import { AcpFixture, acpAgent } from './acp/fixture.ts';

let fixture: AcpFixture;

const orchestrator = {
  acp: { modes: { 'lead/research': 'research' } },
  agentAllowlist: ['lead/research', 'ada'],
  delegation: { tags: true },
};

beforeAll(async () => {
  fixture = await AcpFixture.open(
    (memory) => [
      acpAgent('pip', memory),
      acpAgent('forgetful', memory, ['no-load']),
      acpAgent('vague', memory, ['begins-anew']),
      acpAgent('resumer', memory, ['resume']),
      acpAgent('mute', memory, ['no-greeting']),
      acpAgent('lead', memory, [], orchestrator),
      { agentId: 'lead/research', extends: 'lead', parentAgentId: 'lead', acp: { mode: 'research' } },
    ],
    { limits: { idleProgramMs: 1, idleMs: 3000, firstTokenMs: 3000 } },
  );
});
afterAll(() => fixture.close());

describe('a cancelled turn of an ACP agent', () => {
  it('ends, keeps what was said, and the program remembers the session', async () => {
    const id = await fixture.open('pip');
    const { turn } = await fixture.send(id, 'say Begun.\nhang');
    await fixture.spoken(id);
    await fixture.cancel(turn.id);
    const { turn: settled, answer } = await fixture.settled(turn.id);
    expect([settled.state, answer!.text, answer!.status]).toEqual(['cancelled', 'Begun.', 'interrupted']);
    expect((await fixture.say(id, 'recall')).text).toContain('say Begun.');
    await fixture.noProgramsLeft();
  });

  it('ends also while the program has not even greeted', async () => {
    const id = await fixture.open('mute');
    const { turn } = await fixture.send(id, 'say Hello.');
    await until(
      async () => fixture.programs(),
      (programs) => programs.length > 0,
    );
    await fixture.cancel(turn.id);
    expect((await fixture.settled(turn.id)).turn.state).toBe('cancelled');
    await fixture.noProgramsLeft();
  });
});

describe('an ACP program that misbehaves costs its turn and nothing else', () => {
  it.each([
    ['dies in the middle of its answer', 'say one\ndie', 'failed'],
    ['writes a line without an end', 'say one\nflood', 'failed'],
    ['prints what is no message', 'say one\ngarbage', 'complete'],
    ['says nothing any more', 'say one\ndeaf', 'failed'],
    ['speaks after its answer', 'say one\nlate two\nwait 10', 'complete'],
    ['leaves a process of its own behind', 'say one\nfork', 'complete'],
  ])('%s', async (_, script, state) => {
    const id = await fixture.open('pip');
    const { turn, text } = await fixture.say(id, script);
    expect([turn.state, text]).toEqual([state, 'one']);
    if (state === 'failed') expect(turn.error).toMatchObject({ code: 'program_failed', message: expect.any(String) });
    await fixture.noProgramsLeft();
    expect((await fixture.say(id, 'say fine')).text).toBe('fine');
  });

  it('is named as what it was when it writes a line without an end', async () => {
    const { turn } = await fixture.say(await fixture.open('pip'), 'say one\nflood');
    expect(turn.error?.message).toBe(
      'The program exited before it replied. A line of output is longer than 8000000 bytes.',
    );
    await fixture.noProgramsLeft();
  });

  it('is killed when it ignores that it is cancelled', async () => {
    const id = await fixture.open('pip');
    const { turn } = await fixture.send(id, 'say Deaf.\ntool Bash-1 execute {"command":"x"}\ndeaf');
    await fixture.spoken(id);
    await fixture.cancel(turn.id);
    expect((await fixture.settled(turn.id)).turn.state).toBe('cancelled');
    await fixture.noProgramsLeft();
  });

  it('does not greet', async () => {
    const { turn } = await fixture.say(await fixture.open('mute'), 'say Hello.');
    expect(turn.error?.message).toContain('sent nothing for 3 seconds');
    await fixture.noProgramsLeft();
  });
});

describe('what an ACP agent remembers', () => {
  it.each(['pip', 'resumer'])('is found again by a new program: %s', async (agentId) => {
    const id = await fixture.open(agentId);
    await fixture.say(id, 'say before');
    await fixture.noProgramsLeft();
    const { text, answer } = await fixture.say(id, 'recall');
    expect(text.match(/say before/g)).toHaveLength(1);
    expect(answer!.parts.map(({ type }) => type)).toEqual(['text']);
  });

  it.each(['pip', 'forgetful', 'vague'])('is told again, once and visibly, when it is lost: %s', async (agentId) => {
    const id = await fixture.open(agentId);
    await fixture.say(id, 'say before');
    await fixture.noProgramsLeft();
    for (const name of readdirSync(fixture.memory)) rmSync(path.join(fixture.memory, name));
    const { text, answer } = await fixture.say(id, 'recall');
    expect(text).toContain(`User: say before\n${agentId}: before`);
    expect(answer!.parts.map(({ type }) => type)).toEqual(['notice', 'text']);
  });
});

describe('an ACP agent as a guest', () => {
  it('answers in its strictest mode, and returns to its own afterwards', async () => {
    const id = await fixture.open('ada');
    const { turn, text } = await fixture.say(id, 'mode', { guest: 'pip' });
    expect([turn.state, turn.guest, text]).toEqual(['complete', true, 'in plan. ']);
    const own = await fixture.open('pip');
    expect((await fixture.say(own, 'mode')).text).toBe('in default. ');
    await fixture.say(own, 'Hello.', { agent: 'ada' });
    expect((await fixture.say(own, 'mode', { guest: 'pip' })).text).toBe('in plan. ');
    expect((await fixture.say(own, 'mode', { agent: 'pip' })).text).toBe('in default. ');
  });

  it.each([
    ['runs a tool', 'tool Bash-1 execute {"command":"ls"} => x'],
    ['asks for a permission', 'permit Read-guest read {}\nwait 5000'],
  ])('fails when it %s', async (_, script) => {
    const id = await fixture.open('ada');
    const { turn } = await fixture.say(id, `say Hi.\n${script}`, { guest: 'pip' });
    expect(turn).toMatchObject({ state: 'failed', stopReason: 'tool_rejected' });
    expect((await fixture.actions(id)).filter(({ kind }) => kind === 'approval')).toEqual([]);
    expect(fixture.remembered('permissions')).not.toContain('Read-guest yes');
    await fixture.noProgramsLeft();
  });

  it('reads and runs nothing', async () => {
    const id = await fixture.open('ada');
    const { text } = await fixture.say(id, 'read note.txt\nrun echo', { guest: 'pip' });
    expect(text).toMatch(/^failed: .*Guests cannot.* failed: .*Guests cannot/);
  });
});

describe('delegation', () => {
  it('reaches an ACP agent, and comes from one', async () => {
    const scripted = new ScriptedAgents(fixture.provider);
    scripted.answers('ada', '<delegate to="pip">say from pip</delegate>', 'Pip has answered.');
    const asked = await fixture.open('ada');
    await fixture.say(asked, 'Ask pip.');
    const texts = (await fixture.parley.messages(asked)).map(({ agent, text }) => [agent, text]);
    expect(texts).toContainEqual(['pip', 'from pip']);
    expect(texts.at(-1)).toEqual(['ada', 'Pip has answered.']);

    scripted.answers('ada', 'say ada said so');
    const id = await fixture.open('lead');
    await fixture.say(id, 'say First. <delegate to="ada">Well?</delegate>');
    const messages = (await fixture.parley.messages(id)).map(({ agent, role, text }) => [agent, role, text]);
    expect(messages).toContainEqual(['ada', 'assistant', 'say ada said so']);
    expect(messages.filter(([agent, role]) => agent === 'lead' && role === 'assistant').length).toBeGreaterThan(0);
  });

  it('to a mode of the same session switches there and back, in the same program', async () => {
    const id = await fixture.open('lead');
    await fixture.say(id, 'mode\nsay <delegate to="lead/research">mode</delegate>');
    const said = (await fixture.parley.messages(id)).filter(({ role }) => role === 'assistant');
    expect(said.map(({ agent, text }) => [agent, text.trim()])).toEqual([
      ['lead', 'in default.'],
      ['lead/research', 'in research.'],
    ]);
    expect((await fixture.say(id, 'mode')).text).toBe('in default. ');
    const heard = readdirSync(fixture.memory).map((name) => fixture.remembered(name));
    const shared = heard.filter((text) => text.includes('lead/research: in research.'));
    expect(shared).toEqual([expect.stringMatching(/^\[instructions\][\s\S]*from the agent lead[\s\S]*said meanwhile/)]);
    expect(heard.filter((text) => text.includes('from the agent lead'))).toEqual(shared);
  });

  it('leaves the right mode behind when the server is killed in the middle of it', async () => {
    const id = await fixture.open('lead');
    await fixture.send(id, 'say <delegate to="lead/research">say There.\\nhang</delegate>');
    await until(
      () => fixture.parley.ok<{ partials: { agentId: string }[] }>('GET', `/api/sessions/${id}/snapshot`),
      ({ partials }) => partials.some(({ agentId }) => agentId === 'lead/research'),
    );
    await new Promise((resolve) => setTimeout(resolve, 500));
    await fixture.parley.kill();
    expect(fixture.programs()).not.toEqual([]);
    await fixture.parley.restart();
    await fixture.noProgramsLeft();
    expect((await fixture.say(id, 'mode')).text).toBe('in default. ');
  });
});

it('every promise is kept', async () => {
  await checkPromises(fixture.parley, fixture.ledger);
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { text } from '../harness/scripted-script.ts';
import type { Frame } from '../harness/sse-frames.ts';
import { type DelegatingAgents, startDelegating, TEAM, tag } from './delegating.ts';
import { eventsOf, thread } from './looking.ts';
import { call, resultsIn } from './scripted-agents.ts';
import type { TestServer } from './test-server.ts';

let server: TestServer;
let scripted: DelegatingAgents;
beforeAll(async () => {
  ({ server, scripted } = await startDelegating(TEAM));
});
beforeEach(() => scripted.clear());
afterAll(() => server.close());

describe('an orchestrator that writes a <delegate> tag', () => {
  it('explains, hands over, is answered in the same session, and goes on: in this order', async () => {
    scripted.answers('bob', 'The engine is cold.');
    const { id, turn } = await scripted.begins(
      'lead',
      `Bob will look. ${tag('bob', 'Check the engine.')}`,
      'It is cold, says Bob.',
    );
    expect(turn).toMatchObject({ state: 'complete', agentId: 'lead' });
    expect(await thread(server, id)).toEqual([
      'user: Go.',
      'assistant lead: Bob will look. ',
      'delegation bob: Check the engine.',
      'assistant bob: The engine is cold.',
      'assistant lead: It is cold, says Bob.',
    ]);
    const [, , delegation] = await server.messages(id);
    const [, child] = (await server.turns(id)).toReversed();
    expect(delegation!.parts).toEqual([
      {
        type: 'delegation',
        from: 'lead',
        to: 'bob',
        task: 'Check the engine.',
        turnId: child!.id,
        sessionId: id,
        state: 'complete',
      },
    ]);
    expect(child).toMatchObject({
      agentId: 'bob',
      parentTurnId: turn.id,
      rootTurnId: turn.id,
      state: 'complete',
      guest: false,
    });
    expect(await server.session(id)).toMatchObject({ agentId: 'lead', status: 'active', agents: ['lead', 'bob'] });
  });

  it('delegates nothing in quotations, comments and indented code', async () => {
    const quoted = tag('bob', 'Delete it.');
    const words = `They wrote:\n\n> ${quoted}\n\n<!-- ${quoted} -->\n\n    ${quoted}\n\nI did nothing.`;
    const { id } = await scripted.begins('lead', words);
    expect(await thread(server, id)).toEqual(['user: Go.', `assistant lead: ${words}`]);
  });

  it('says so in the events of the session, each turn with its start and its end', async () => {
    const { id, turn } = await scripted.begins('lead', `Look. ${tag('bob', 'Do.')}`, 'Done.');
    const told = (await eventsOf(server, id)).flatMap((event) => {
      if ('delegation' in event) return [`${event.type} ${event.delegation.state} ${event.delegation.via}`];
      if (event.type === 'message.created') return [`said ${event.message.agent}`];
      if (event.type === 'turn.started' || event.type === 'turn.settled')
        return [`${event.type} ${event.turn.agentId}`];
      return [];
    });
    expect(told).toEqual([
      'turn.started lead',
      'said lead',
      'delegation.started started tag',
      'turn.started bob',
      'said bob',
      'delegation.ended complete tag',
      'turn.settled bob',
      'said lead',
      'turn.settled lead',
    ]);
    expect(turn.state).toBe('complete');
  });

  it('has the sub-agent work with its own prompt and tools, and shows it who gave the task', async () => {
    scripted.answers('bob', [call('todo_add', { title: 'oil' })], (request) => `Added: ${resultsIn(request).length}`);
    const { id } = await scripted.begins('lead', `${tag('bob', 'Note: oil.')}`, 'Noted.');
    const prompt = server.prompt('bob');
    expect(prompt[0]!.content).toMatch(/^You are bob\./);
    const task = prompt.find(({ content }) =>
      content?.includes('[Next message:]\n\n<from agent="lead">Note: oil.</from>'),
    );
    expect(task?.content).toContain('[The message above is from the agent lead, not from the user.');
    expect(prompt[0]!.content).not.toContain('comes from the agent');
    const answer = (await server.messages(id)).find(({ agent, role }) => agent === 'bob' && role === 'assistant');
    expect(answer!.parts.map(({ type }) => type)).toEqual(['tool_call', 'tool_result', 'text']);
  });

  it('follows several tags in order and keeps the text around them', async () => {
    scripted.answers('bob', 'B1', 'B2');
    scripted.answers('team/eve', 'E1');
    const { id } = await scripted.begins(
      'lead',
      `First ${tag('bob', 'one')}, then ${tag('team/eve', 'two')} and ${tag('bob', 'three')}, at last.`,
      'All three.',
    );
    expect(await thread(server, id)).toEqual([
      'user: Go.',
      'assistant lead: First , then  and , at last.',
      'delegation bob: one',
      'assistant bob: B1',
      'delegation team/eve: two',
      'assistant team/eve: E1',
      'delegation bob: three',
      'assistant bob: B2',
      'assistant lead: All three.',
    ]);
  });

  it('goes on for several rounds', async () => {
    scripted.answers('bob', 'B1', 'B2');
    const { id } = await scripted.begins(
      'lead',
      `One. ${tag('bob', 'first')}`,
      `Two. ${tag('bob', 'second')}`,
      'Enough.',
    );
    expect((await thread(server, id)).filter((line) => line.startsWith('assistant'))).toEqual([
      'assistant lead: One. ',
      'assistant bob: B1',
      'assistant lead: Two. ',
      'assistant bob: B2',
      'assistant lead: Enough.',
    ]);
  });

  it('needs no words besides the tag', async () => {
    const { id, turn } = await scripted.begins('lead', tag('bob', 'Just do it.'), 'Done.');
    expect(turn.state).toBe('complete');
    expect((await thread(server, id))[1]).toBe('delegation bob: Just do it.');
  });

  it('uses tools before it hands over', async () => {
    const { turn } = await scripted.begins('lead', [...text('Hm. ', tag('bob', 'x'))], 'Fine.');
    expect(turn.state).toBe('complete');
  });

  it('may hand over inside what was handed over to it, and each answers the one who asked', async () => {
    scripted.answers('team/eve', `Bob knows. ${tag('bob', 'deep')}`, 'So says Bob.');
    scripted.answers('bob', 'Deep down.');
    const { id, turn } = await scripted.begins('lead', `Eve! ${tag('team/eve', 'dig')}`, 'Thanks to both.');
    expect(await thread(server, id)).toEqual([
      'user: Go.',
      'assistant lead: Eve! ',
      'delegation team/eve: dig',
      'assistant team/eve: Bob knows. ',
      'delegation bob: deep',
      'assistant bob: Deep down.',
      'assistant team/eve: So says Bob.',
      'assistant lead: Thanks to both.',
    ]);
    const { root } = await server.call('turnTree', { params: { turnId: turn.id } });
    expect(root.children[0]!.children[0]!.turn).toMatchObject({ agentId: 'bob', state: 'complete' });
    expect(root.children[0]).toMatchObject({ via: 'tag', mode: 'sync', task: 'dig' });
  });
});

describe('what a <delegate> tag leaves behind', () => {
  it('is in no delta, no stored text and no export, wherever it is cut', async () => {
    const words = `Let me see. ${tag('bob', 'Secret task.')} There.`;
    scripted.answers('bob', 'Yes.', 'Yes.');
    scripted.answers(
      'lead',
      { steps: text(words), chunkBytes: 3 },
      { steps: [...words].map((piece) => ({ kind: 'text', text: piece })) },
      'Done.',
    );
    const id = await server.open('lead');
    const frames: Frame[] = [];
    for await (const frame of server.parley.sendStream(id, { content: 'Go.' })) frames.push(frame);
    const deltas = frames.filter(({ type }) => type === 'delta').map(({ data }) => data.text);
    expect(deltas.join('')).not.toMatch(/delegate|Secret/);
    const everything = JSON.stringify([
      frames.filter(({ type }) => type === 'delta' || type === 'message.created'),
      (await server.messages(id)).filter(({ role }) => role !== 'delegation'),
      await server.call('exportSession', { params: { sessionId: id }, query: { format: 'json' } }),
    ]);
    expect(everything).not.toContain('<delegate');
    const markdown = (await server.ask('exportSession', { params: { sessionId: id }, query: { format: 'markdown' } }))
      .body;
    expect(String(markdown)).toContain('Secret task.');
    expect(String(markdown)).not.toContain('<delegate');
  });

  it('streams to who sent the message: the words of the sub-agent too, until everything is over', async () => {
    scripted.answers('bob', text('I am', ' bob.'));
    scripted.answers('lead', `Bob? ${tag('bob', 'Speak.')}`, 'He spoke.');
    const id = await server.open('lead');
    const frames: Frame[] = [];
    for await (const frame of server.parley.sendStream(id, { content: 'Go.' })) frames.push(frame);
    const said = frames.filter(({ type }) => type === 'delta').map(({ data }) => `${data.agentId}: ${data.text}`);
    expect(said).toEqual(['lead: Bob? ', 'bob: I am', 'bob:  bob.', 'lead: He spoke.']);
    expect(frames.at(-1)).toMatchObject({ type: 'turn.settled', data: { turn: { agentId: 'lead' } } });
  });

  it.each([
    ['in a fence', '```\n<delegate to="bob">x</delegate>\n```'],
    ['in inline code', 'Write `<delegate to="bob">x</delegate>` for that.'],
    ['not closed', 'So: <delegate to="bob">x'],
    ['a look-alike', '<delegated to="bob">x</delegated>'],
  ])('stays text when it is %s', async (_, words) => {
    const { id } = await scripted.begins('lead', words);
    expect(await thread(server, id)).toEqual(['user: Go.', `assistant lead: ${words}`]);
    expect(await server.turns(id)).toHaveLength(1);
  });

  it('is only read in the words of an agent that delegates: not in those of others, or of the person', async () => {
    const words = `Bob! ${tag('bob', 'x')}`;
    scripted.answers('plain', words);
    const id = await server.open('plain');
    await server.say(id, words);
    expect(await thread(server, id)).toEqual([`user: ${words}`, `assistant plain: ${words}`]);
    scripted.answers('bob', words);
    const { id: other } = await scripted.begins('lead', `Look. ${tag('bob', 'y')}`, 'Fine.');
    expect((await thread(server, other)).at(-2)).toBe(`assistant bob: ${words}`);
  });

  it('reads the tag as the agent wrote it, and never reads it again out of the history', async () => {
    const { id } = await scripted.begins('lead', `Bob? ${tag('bob', 'Do <b>this</b>.')}`, 'Done.');
    scripted.answers('lead', 'Nothing more.');
    await server.say(id, 'And now?');
    const prompt = server.prompt('lead').map(({ role, content }) => `${role}: ${content}`);
    expect(prompt.slice(1)).toEqual([
      'user: Go.',
      'assistant: Bob?\n\n<delegate to="bob">Do <b>this</b>.</delegate>',
      expect.stringMatching(/^user: \[The agents you asked have answered\.[^\]]*\]\n\n<from agent="bob">bob heard/),
      'assistant: Done.',
      'user: And now?',
    ]);
    expect(await server.turns(id)).toHaveLength(3);
  });

  it('keeps the beginning of every request as it was, so that a prompt cache goes on working', async () => {
    const { id } = await scripted.begins(
      'lead',
      `One. ${tag('bob', 'first')}`,
      `Two. ${tag('bob', 'second')}`,
      'Enough.',
    );
    await server.say(id, 'Again?');
    const requests = server.provider.requests.filter(({ body }) => body.model === 'model-of-lead').slice(-4);
    const prompts = requests.map(({ body }) => (body.messages as object[]).map((message) => JSON.stringify(message)));
    for (const [index, prompt] of prompts.entries()) {
      const next = prompts[index + 1];
      if (next) expect(next.slice(1, prompt.length)).toEqual(prompt.slice(1));
    }
  });

  it('alternates between user and assistant in every request, also with several tags and without words', async () => {
    scripted.answers('bob', 'B1', 'B2', 'B3');
    scripted.answers('team/eve', `Bob! ${tag('bob', 'deep')}`, 'E1');
    await scripted.begins(
      'lead',
      `One ${tag('bob', 'a')} and ${tag('team/eve', 'b')}.`,
      tag('bob', 'c'),
      `${tag('nobody', 'd')}`,
      'Done.',
    );
    const requests = server.provider.requests.filter(({ body }) => body.model === 'model-of-lead').slice(-4);
    for (const { body } of requests) {
      const roles = (body.messages as { role: string }[]).slice(1).map(({ role }) => role);
      expect(roles).toEqual(roles.map((_, index) => (index % 2 === 0 ? 'user' : 'assistant')));
    }
    const last = server.prompt('lead').map(({ content }) => content);
    expect(last[5]).toContain('<from agent="team/eve">Bob! </from>');
    expect(last[5]).toContain('<from agent="bob">B2</from>');
  });

  it('reads to others as something that was asked', async () => {
    const { id } = await scripted.begins('lead', `Bob? ${tag('bob', 'Weigh it.')}`, 'Done.');
    await server.say(id, { content: 'And you?', guest: 'plain' });
    const prompt = server.prompt('plain').flatMap(({ content }) => content.split('\n\n'));
    expect(prompt).toContain('<from agent="lead">Bob? </from>');
    expect(prompt).toContain('<from agent="lead">I asked bob to do this: Weigh it.</from>');
  });
});

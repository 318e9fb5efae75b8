import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Message } from '../../contract/messages.ts';
import { until } from '../harness/parley.ts';
import { framesUntil } from '../suites/test-server.ts';
import { AcpFixture, acpAgent, PROGRAM } from './acp/fixture.ts';

let fixture: AcpFixture;

beforeAll(async () => {
  fixture = await AcpFixture.open((memory) => [
    acpAgent('pip', memory),
    acpAgent('set', memory, [], { acp: { model: 'large', mode: 'yolo', env: { GIVEN: '${PARLEY_TOKEN_OF_TEST}' } } }),
    acpAgent('opt', memory, ['mode-option'], { acp: { mode: 'yolo' } }),
    acpAgent('lead', memory, [], { agentAllowlist: ['ada'], delegation: { tags: true } }),
    acpAgent('resuming', memory, ['resume']),
    acpAgent('bridged', memory, ['stdio-tools']),
    acpAgent('key', memory, ['sign-in'], { acp: { authMethod: 'api-key' } }),
    acpAgent('locked', memory, ['sign-in']),
    acpAgent('terminal', memory, ['sign-in-terminal']),
    acpAgent('missing', memory, [], { acp: { command: '/no/such/program', args: [] } }),
    acpAgent('old', memory, ['old']),
    acpAgent('unmoded', memory, [], { acp: { mode: 'nonsense' } }),
  ]);
});
afterAll(() => fixture.close());

const callsIn = (answer: Message | null) =>
  (answer?.parts ?? []).flatMap((part) => (part.type === 'tool_call' ? [part] : []));

describe('an ACP agent', () => {
  it('speaks in pieces that are seen as they come', async () => {
    const id = await fixture.open('pip');
    const events = fixture.parley.events(`/api/sessions/${id}/events?after=0`);
    const { turn } = await fixture.send(id, 'think Hm.\nsay One.\nwait 300\nsay  Two.');
    const frames = await framesUntil(events, ({ type }) => type === 'turn.settled');
    const deltas = frames.filter(({ type }) => type === 'delta').map(({ data }) => [data.kind, data.text]);
    expect(deltas).toEqual([
      ['reasoning', 'Hm.'],
      ['text', 'One.'],
      ['text', ' Two.'],
    ]);
    const { answer, turn: settled } = await fixture.settled(turn.id);
    expect(answer?.text).toBe('One. Two.');
    expect(settled.usage).toMatchObject({ inputTokens: 11, outputTokens: 5 });
  });

  it('is heard in order when its last words come together with the end of its answer', async () => {
    const id = await fixture.open('pip');
    const { text } = await fixture.say(id, 'burst 200');
    expect(text.trim().split(' ')).toEqual(Array.from({ length: 200 }, (_, at) => String(at)));
  });

  it('is told once who it is, and then only what it has not seen', async () => {
    const id = await fixture.open('pip');
    await fixture.say(id, 'say one');
    await fixture.say(id, 'Good morning.', { guest: 'ada' });
    const { text } = await fixture.say(id, 'recall');
    expect(text.match(/\[instructions\]/g)).toHaveLength(1);
    expect(text).toContain('[What was said since you last spoke:]\n\nUser: Good morning.\nada: ');
    expect(text.match(/say one/g)).toHaveLength(1);
  });

  it('delegates nothing when it quotes what it was told about delegating', async () => {
    const id = await fixture.open('lead');
    const { text } = await fixture.say(id, 'quote');
    expect(text).toContain('<delegate to=');
    expect((await fixture.parley.messages(id)).map(({ role }) => role)).toEqual(['user', 'assistant']);
  });

  it('shows the tools that it runs itself, once each, with what they were given and gave back', async () => {
    const id = await fixture.open('pip');
    const { answer } = await fixture.say(
      id,
      'tool Bash-1 execute {"command":"ls"} => a.txt\nsay Done.\ntool Bash-2 execute {"command":"no"} => Error: no\nterminal t3 execute {"command":"ls"} => b.txt',
    );
    expect(callsIn(answer).map(({ name, input, state }) => [name, input, state])).toEqual([
      ['Bash', '{"command":"ls"}', 'complete'],
      ['Bash', '{"command":"no"}', 'failed'],
      ['execute', '{"command":"ls"}', 'complete'],
    ]);
    const results = answer!.parts.flatMap((part) => (part.type === 'tool_result' ? [part.output] : []));
    expect(results).toEqual(['a.txt', 'Error: no', 'b.txt']);
  });

  it('shows its plan and keeps the files that it makes', async () => {
    const id = await fixture.open('pip');
    const events = fixture.parley.events(`/api/sessions/${id}/events?after=0`);
    await fixture.send(id, `plan Look, Leap\nwait 300\nimage ${Buffer.from('png').toString('base64')}`);
    const frames = await framesUntil(events, ({ type }) => type === 'turn.settled');
    const plans = frames.filter(({ type }) => type === 'turn.progress').map(({ data }) => data.plan);
    expect(plans.at(-1)).toEqual([
      { text: 'Look', state: 'pending' },
      { text: 'Leap', state: 'pending' },
    ]);
    const [, answer] = await fixture.parley.messages(id);
    expect(answer!.parts).toMatchObject([{ type: 'file', name: 'image.png', mediaType: 'image/png' }]);
  });

  it('is paid for what the turn has cost, not for what its session has cost in all', async () => {
    const id = await fixture.open('pip');
    await fixture.say(id, 'cost 0.5\nsay one');
    const { turn } = await fixture.say(id, 'cost 0.75\nsay two');
    expect(turn.usage?.cost).toBeCloseTo(0.25);
  });

  it('works with the mode, the model and the variables that its definition names', async () => {
    const id = await fixture.open('set');
    expect((await fixture.say(id, 'mode')).turn.error?.code).toBe('agent_unavailable');
    await fixture.parley.restart({ PARLEY_TOKEN_OF_TEST: 'given' });
    expect((await fixture.say(id, 'mode\nmodel\nenv GIVEN\nenv PARLEY_HOME')).text).toBe('in yolo. largegivenunset');
    expect((await fixture.say(await fixture.open('opt'), 'mode')).text).toBe('in yolo. ');
  });

  it('uses its program again in the next turn, and only in the same session', async () => {
    const id = await fixture.open('pip');
    const first = await fixture.say(id, 'pid');
    expect((await fixture.say(id, 'pid')).text).toBe(first.text);
    expect((await fixture.say(await fixture.open('pip'), 'pid')).text).not.toBe(first.text);
  });

  it.each(['pip', 'bridged'])('uses the tools of Parley in every turn: %s', async (agentId) => {
    const id = await fixture.open(agentId);
    const call = `call todo_add {"title":"Milk for ${agentId}"}`;
    const { answer } = await fixture.say(id, call);
    expect(answer!.text).toContain('Milk');
    expect(callsIn(answer).map(({ name, state }) => [name, state])).toEqual([['todo_add', 'complete']]);
    expect((await fixture.say(id, call)).text).toContain('Milk');
  });

  it('is resumed after a restart of the server, and nothing it repeats is shown again', async () => {
    const id = await fixture.open('pip');
    await fixture.say(id, 'say kept');
    await fixture.parley.restart({ PARLEY_TOKEN_OF_TEST: 'given' });
    const { text, answer } = await fixture.say(id, 'recall');
    expect(text).toContain('say kept');
    expect(text).not.toContain('replayed');
    expect(answer!.parts.map(({ type }) => type)).toEqual(['text']);
  });

  it.each(['pip', 'resuming'])(
    'is resumed after the server was killed in the middle of its answer: %s',
    async (agentId) => {
      const id = await fixture.open(agentId);
      await fixture.say(id, 'say kept');
      const { turn } = await fixture.send(id, 'say Begun.\nhang');
      await fixture.spoken(id);
      await fixture.parley.kill();
      await fixture.parley.restart({ PARLEY_TOKEN_OF_TEST: 'given' });
      expect((await fixture.settled(turn.id)).turn.state).toBe('interrupted');
      await fixture.noProgramsLeft();
      await fixture.say(id, 'Good morning.', { guest: 'ada' });
      const { text, answer } = await fixture.say(id, 'recall');
      const told = ['say kept', 'say Begun.', 'User: Good morning.', 'recall'];
      expect(told.map((words) => [words, text.split(words).length - 1])).toEqual(told.map((words) => [words, 1]));
      expect(answer!.parts.map(({ type }) => type)).toEqual(['text']);
    },
  );
});

it('an ACP agent is created over the API once the person has confirmed its command', async () => {
  const acp = { command: process.execPath, args: [PROGRAM, fixture.memory, 'of the API'] };
  const body = { agentId: 'made', type: 'acp', acp };
  const refused = await fixture.parley.request<{ code: string; issues: string[] }>('POST', '/api/agents', body);
  expect([refused.status, refused.body.code]).toEqual([422, 'command_unconfirmed']);
  const [command] = refused.body.issues;
  expect(command).toBe(`${process.execPath} ${PROGRAM} ${fixture.memory} 'of the API'`);
  await fixture.parley.ok('POST', `/api/agents?confirm=${encodeURIComponent(command!)}`, body);
  expect((await fixture.say(await fixture.open('made'), 'say Made.')).text).toBe('Made.');
});

describe('what an ACP agent cannot do without is said in words', () => {
  it.each([
    ['locked', /Set acp\.authMethod to one of its methods: "api-key" \(API key, Uses a key\)/],
    ['terminal', /in a terminal, run: .*program\.ts .* login \(Log in\)/],
    ['missing', /Couldn't start the program\. Program not found: \/no\/such\/program\./],
    ['old', /speaks version 0 of the Agent Client Protocol/],
    ['unmoded', /has no mode "nonsense"\. Available modes: default, plan, research, yolo\./],
  ])('%s', async (agentId, words) => {
    const { turn } = await fixture.say(await fixture.open(agentId), 'say Hello.');
    expect(turn).toMatchObject({ state: 'failed', error: { code: 'program_failed' } });
    expect(turn.error!.message).toMatch(words);
  });

  it('and a way to sign in that it has is used', async () => {
    expect((await fixture.say(await fixture.open('key'), 'say In.')).text).toBe('In.');
  });

  it('and its own errors are passed on', async () => {
    const id = await fixture.open('pip');
    const { turn, text } = await fixture.say(id, 'say Well.\nfail quota exceeded');
    expect([text, turn.error?.message]).toEqual(['Well.', expect.stringContaining('quota exceeded')]);
    expect((await fixture.say(id, 'refuse')).turn.error?.message).toContain('declined');
    expect((await fixture.say(id, 'say fine')).text).toBe('fine');
  });
});

describe('the files and commands of an ACP agent', () => {
  it('stay inside its workspace', async () => {
    const id = await fixture.open('pip');
    const workspace = path.join(fixture.parley.home, 'workspaces', 'pip');
    const { text } = await fixture.say(
      id,
      'write note.txt Hello\nread note.txt\nread /etc/passwd\nwrite ../../x.txt no',
    );
    expect(text).toMatch(/^written\. Hello\. failed: .*outside the workspace.* failed: .*outside the workspace/);
    expect(existsSync(path.join(fixture.parley.home, 'x.txt'))).toBe(false);
    const file = (await findIn(workspace, 'note.txt'))!;
    expect(readFileSync(file, 'utf8')).toBe('Hello');
  });

  it('that are missing are said to be, so that a program knows that it writes a new file', async () => {
    const id = await fixture.open('pip');
    expect((await fixture.say(id, 'read new.txt')).text).toMatch(/^failed: Resource not found: .*new\.txt \(-32002\)/);
  });

  it('are asked about, with the change or the whole command, and run as allowed', async () => {
    const id = await fixture.open('pip');
    const { turn } = await fixture.send(id, 'run echo hello; head -c 500 /dev/zero | tr "\\0" x');
    const action = await fixture.asked(id);
    expect(action.approval).toMatchObject({ tool: 'terminal', risk: 'execute' });
    expect(JSON.parse(action.approval!.input)).toMatchObject({ command: 'sh', args: ['-c', expect.any(String)] });
    await fixture.answer(action, { decision: 'once' });
    const { answer } = await fixture.settled(turn.id);
    expect(answer!.text).toMatch(/^0 x{100} \(cut\)/);
  });

  it('are not asked about twice when the same change was allowed as a tool call', async () => {
    const id = await fixture.open('pip');
    const script = 'permit Edit-1 edit {"newText":"two"}\nwrite a.txt two';
    const { turn } = await fixture.send(id, script);
    const action = await fixture.asked(id);
    expect(action.approval!.result).toMatch(/^--- \/.*a\.txt\n\+\+\+ \/.*a\.txt\n@@ -1,1 \+1,1 @@\n-one\n\+two$/);
    await fixture.answer(action, { decision: 'once' });
    expect((await fixture.settled(turn.id)).answer!.text).toBe('Edit-1: yes. written. ');
    expect(await fixture.actions(id)).toEqual([]);
  });

  it.each([
    ['one argument for two', 'rm a b', { command: 'rm', args: ['a b'] }],
    ['a program alone for a line', 'a b', { command: 'a', args: ['b', ''] }],
    ['a script for a program', 'true; ls', { command: 'true;', args: ['ls'] }],
    ['another folder', 'ls -a', { command: 'ls', args: ['-a'], cwd: 'sub' }],
  ])('are asked about again when the allowed command is not the one that runs: %s', async (_, shown, run) => {
    const id = await fixture.open('pip');
    mkdirSync(path.join(fixture.parley.home, 'workspaces', 'pip', 'sub'), { recursive: true });
    const script = `permit Bash-1 execute ${JSON.stringify({ command: shown })}\nrunargs ${JSON.stringify(run)}`;
    const { turn } = await fixture.send(id, script);
    await fixture.answer(await fixture.asked(id), { decision: 'once' });
    const again = await fixture.asked(id);
    const { cwd, ...what } = run as { cwd?: string };
    const folder = expect.stringMatching(cwd ? /pip.*\/sub$/ : /pip/);
    expect(JSON.parse(again.approval!.input)).toMatchObject({ ...what, cwd: folder });
    await fixture.answer(again, { decision: 'deny' });
    expect((await fixture.settled(turn.id)).answer!.text).toMatch(/^Bash-1: yes\. failed: /);
  });

  it('are not asked about again when the words of an allowed command are its arguments', async () => {
    const id = await fixture.open('pip');
    const { turn } = await fixture.send(
      id,
      'permit Bash-1 execute {"command":"test -n x"}\nrunargs {"command":"test","args":["-n","x"]}',
    );
    await fixture.answer(await fixture.asked(id), { decision: 'once' });
    expect((await fixture.settled(turn.id)).answer!.text).toBe('Bash-1: yes. 0. ');
  });

  it('are asked about again when a command that was allowed comes with an environment that was not shown', async () => {
    const id = await fixture.open('pip');
    const permit = 'permit Bash-1 execute {"command":"true"}';
    const plain = await fixture.send(id, `${permit}\nrun true`);
    await fixture.answer(await fixture.asked(id), { decision: 'once' });
    expect((await fixture.settled(plain.turn.id)).answer!.text).toMatch(/^Bash-1: yes\. 0 /);

    const { turn } = await fixture.send(id, `${permit}\nrunwith PATH=/elsewhere true`);
    await fixture.answer(await fixture.asked(id), { decision: 'once' });
    const again = await fixture.asked(id);
    expect(JSON.parse(again.approval!.input)).toMatchObject({ env: [{ name: 'PATH', value: '/elsewhere' }] });
    await fixture.answer(again, { decision: 'deny' });
    expect((await fixture.settled(turn.id)).answer!.text).toMatch(/^Bash-1: yes\. failed: /);
  });

  it('end with the turn', async () => {
    const id = await fixture.open('pip');
    const place = path.join(fixture.memory, 'left');
    const { turn } = await fixture.send(id, `leave echo $$ > ${place}; sleep 600\nwait 300`);
    await fixture.answer(await fixture.asked(id), { decision: 'once' });
    await fixture.settled(turn.id);
    const pid = Number(fixture.remembered('left'));
    await until(
      async () => existsSync(`/proc/${pid}`),
      (isThere) => !isThere,
    );
  });
});

async function findIn(folder: string, name: string): Promise<string | undefined> {
  const { globSync } = await import('node:fs');
  const [found] = globSync(`**/${name}`, { cwd: folder });
  return found && path.join(folder, found);
}

describe('words that an ACP agent says after its answer', () => {
  it.each([
    ['soon', 'say one\nlate stale', 'wait 400'],
    ['in a message that it had numbered', 'numbered m1 200 one', 'wait 400'],
  ])('are not part of its next answer: %s', async (_, first, pause) => {
    const id = await fixture.open('pip');
    // The program is known to do so from the second time on.
    await fixture.say(id, 'say zero\nlate zero');
    await new Promise((resolve) => setTimeout(resolve, 150));
    const before = await fixture.send(id, first);
    const next = await fixture.send(id, `${pause}\nsay fine`, { busy: 'queue' });
    expect((await fixture.settled(before.turn.id)).answer!.text).toBe('one');
    expect((await fixture.settled(next.turn.id)).answer!.text).toBe('fine');
  });
});

describe('permissions of an ACP agent', () => {
  it('are decided by the same policy, and asked for with all that would run', async () => {
    const id = await fixture.open('pip');
    const { turn } = await fixture.send(
      id,
      'permit Read-1 read {}\npermit Delete-2 delete {}\npermit Bash-3 execute {"command":"make"}',
    );
    const action = await fixture.asked(id);
    expect(action).toMatchObject({ kind: 'approval', title: 'pip wants to use Bash' });
    expect(action.approval).toMatchObject({ tool: 'Bash', input: '{"command":"make"}', risk: 'execute' });
    await fixture.answer(action, { decision: 'once' });
    expect((await fixture.settled(turn.id)).answer!.text).toBe('Read-1: yes. \n\nDelete-2: no. \n\nBash-3: yes. ');
  });

  it('for a tool without a name say what the program wants to do', async () => {
    const id = await fixture.open('pip');
    for (const [kind, title] of [
      ['execute', 'pip wants to run a command'],
      ['edit', 'pip wants to edit a file'],
      ['other', 'pip wants to use a tool of its own'],
    ]) {
      const { turn } = await fixture.send(id, `permit unnamed ${kind} {"command":"make"}`);
      const action = await fixture.asked(id);
      expect(action.title).toBe(title);
      await fixture.answer(action, { decision: 'deny' });
      await fixture.settled(turn.id);
    }
  });

  it('that the person denies or changes are rejected', async () => {
    const id = await fixture.open('pip');
    for (const answer of [{ decision: 'deny' }, { decision: 'once', input: { command: 'ls' } }] as const) {
      const { turn } = await fixture.send(id, 'permit Bash-1 execute {"command":"rm"}');
      await fixture.answer(await fixture.asked(id), answer);
      expect((await fixture.settled(turn.id)).answer!.text).toBe('Bash-1: no. ');
    }
  });

  it('that wait when the turn is cancelled are answered as cancelled', async () => {
    const id = await fixture.open('pip');
    const { turn } = await fixture.send(id, 'permit Bash-cancelled execute {"command":"sleep"}\nsay never');
    await fixture.asked(id);
    await fixture.cancel(turn.id);
    expect((await fixture.settled(turn.id)).turn.state).toBe('cancelled');
    await until(
      async () => fixture.remembered('permissions'),
      (lines) => lines.includes('Bash-cancelled cancelled\n'),
    );
    expect(await fixture.actions(id)).toEqual([]);
    writeFileSync(path.join(fixture.memory, 'permissions'), '');
  });
});

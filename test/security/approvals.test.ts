import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Decision } from '../../contract/actions.ts';
import { parley } from '../cli/parley.ts';
import type { Step } from '../harness/scripted-script.ts';
import { signInBrowser } from '../harness/signed-in-browser.ts';
import { scripted as scriptedMcpServer } from '../mcp/mcp-fixture.ts';
import { answer, waitingIn } from '../suites/answering.ts';
import { callsIn, resultsIn } from '../suites/calling.ts';
import { call, ScriptedAgents } from '../suites/scripted-agents.ts';
import { TestServer } from '../suites/test-server.ts';

const home = mkdtempSync(path.join(tmpdir(), 'parley-test-'));
const effects = path.join(home, 'effects');
const workspace = mkdtempSync(path.join(tmpdir(), 'parley-workspace-'));

/** A workspace that is reached through a link, and where the link is turned to. */
const places = {
  shown: mkdtempSync(path.join(tmpdir(), 'parley-shown-')),
  other: mkdtempSync(path.join(tmpdir(), 'parley-other-')),
  link: path.join(workspace, 'link'),
};
symlinkSync(places.shown, places.link);

let server: TestServer;
let scripted: ScriptedAgents;
beforeAll(async () => {
  installRecorder();
  server = await TestServer.start({
    home,
    agents: [{ agentId: 'ada', toolExposure: 'mixed' }, { agentId: 'bob' }, { agentId: 'lin' }],
    agent: { toolAllowlist: ['record_*', 'bash', 'asked__*'] },
    config: {
      plugins: ['record'],
      tools: {
        bash: { agents: ['ada', 'lin'] },
        files: { workspaces: { ada: workspace, lin: places.link } },
      },
      mcpServers: { asked: scriptedMcpServer() },
    },
  });
  scripted = new ScriptedAgents(server.provider);
});
afterAll(async () => {
  await server.close();
  for (const folder of [workspace, places.shown, places.other]) rmSync(folder, { recursive: true, force: true });
});

/** A tool that writes down exactly what it was given, one line a call. */
function installRecorder(): void {
  const folder = path.join(home, 'plugins', 'record');
  mkdirSync(folder, { recursive: true });
  const manifest = { id: 'record', description: 'Writes down.', tools: 'tools.mjs' };
  writeFileSync(path.join(folder, 'plugin.json'), JSON.stringify(manifest));
  writeFileSync(
    path.join(folder, 'tools.mjs'),
    `import { appendFileSync } from 'node:fs';
    export default ({ z, defineTool }) => ['it', 'other'].map((name) =>
      defineTool({ name: 'record_' + name, description: 'Writes down.', risk: 'execute', operation: name,
        input: z.strictObject({ what: z.json() }) },
        async (input) => { appendFileSync(${JSON.stringify(effects)}, JSON.stringify(input) + '\\n'); return 'done'; }));`,
  );
}

function recorded(): string[] {
  return existsSync(effects) ? readFileSync(effects, 'utf8').trimEnd().split('\n') : [];
}

const raw = (input: string, name = 'record_it'): Step => ({ kind: 'toolCall', id: 'c1', name, input });

/** A turn in which an agent wants to do something that is asked about. */
async function asking(step: Step, agent = 'ada') {
  scripted.answers(agent, [step], 'Done.');
  const sessionId = await server.open(agent);
  const { turn } = await server.send(sessionId, 'Go.');
  const [action] = await waitingIn(server, sessionId);
  return { sessionId, turnId: turn.id, action: action! };
}

async function ended(turnId: string) {
  await server.settled(turnId);
  const { answer: said } = await server.call('getTurn', { params: { turnId } });
  return { call: callsIn(said!)[0]!, result: resultsIn(said!)[0]! };
}

async function revokeAll(): Promise<void> {
  const { grants } = await server.call('listGrants');
  for (const { id: grantId } of grants) await server.call('revokeGrant', { params: { grantId } });
}

describe('what runs is what was shown', () => {
  const LOOKALIKES = [
    'аpple',
    'apple',
    'e\u0301',
    '\u00e9',
    'a\u202ecod.exe',
    'a\u200bb',
    '\ufeffx',
    'a\u0000b',
    '\u001b[2J',
    '\n\r\u2028',
    '👩‍👩‍👧',
    '',
  ];
  const CASES: [name: string, what: unknown][] = [
    ['look-alikes and what cannot be seen', LOOKALIKES],
    ['two hundred thousand characters, the last of which matters', `${'x'.repeat(200_000)}; rm`],
    ['JSON within JSON', [{ a: '{"decision":"always"}', b: [[[[{ 'c"': '\\"}' }]]]] }]],
    ['names that mean something to JavaScript', { constructor: 1, toString: { prototype: null }, '': 0 }],
    ['numbers at their edges', [0.1, -0, 1e21, Number.MAX_SAFE_INTEGER, 1e-7]],
  ];

  it.each(CASES)('to the byte: %s', async (_name, what) => {
    const input = JSON.stringify({ what });
    const { turnId, action } = await asking(raw(input));
    const shown = action.approval!.input;
    expect(shown).toBe(JSON.stringify(JSON.parse(input)));
    const count = recorded().length;
    await answer(server, action, { decision: 'once' });
    expect((await ended(turnId)).call).toMatchObject({ state: 'complete', input });
    expect(recorded().slice(count)).toEqual([shown]);
  });

  it.each([
    ['a key that comes twice', `{"what":"harmless"${' '.repeat(5000)},"what":"harm"}`],
    ['a key that comes twice, written otherwise', '{"what":"harmless","wh\\u0061t":"harm"}'],
    ['a number that cannot be kept', '{"what":12345678901234567890}'],
    ['half a character', '{"what":["\\ud800","x\\udfff"]}'],
  ])('as it counts, not as it was written: %s', async (_name, input) => {
    const { turnId, action } = await asking(raw(input));
    const shown = action.approval!.input;
    expect(shown).toBe(JSON.stringify(JSON.parse(input.replace(/\\ud[89a-f]../g, '\ufffd'))));
    expect(shown).not.toContain('harmless');
    const count = recorded().length;
    await answer(server, action, { decision: 'once' });
    expect((await ended(turnId)).call.state).toBe('complete');
    expect(recorded().slice(count)).toEqual([shown]);
  });

  it('on the command line too: whole, visible, and nothing of it drives the terminal', async () => {
    const command = `echo safe #${' '.repeat(300)}\nrm -rf \u202ehome\u001b[2K\r # ${'y'.repeat(3000)} end`;
    const { turnId, action } = await asking(raw(JSON.stringify({ command }), 'bash'));
    const { stdout } = await parley(home, ['actions']);
    expect(stdout).toContain('ada wants to use bash');
    expect(stdout).toContain(`${'y'.repeat(3000)} end`);
    expect(stdout).toContain('rm -rf <U+202E>home␛[2K');
    for (const character of ['\u001b', '\u202e', '\r']) expect(stdout).not.toContain(character);
    await answer(server, action, { decision: 'deny' });
    expect((await ended(turnId)).call.state).toBe('denied');
  });

  it('on the command line with its folder, with what cannot be seen marked, and told from others like it', async () => {
    const command = 'echo a\u200bb \u{e0041}\u3164';
    const first = await asking(raw(JSON.stringify({ command }), 'bash'));
    const second = await asking(raw('{"command":"echo second"}', 'bash'));
    const { stdout } = await parley(home, ['actions']);
    expect(stdout).toContain('echo a<U+200B>b <U+E0041><U+3164>');
    expect(stdout).toContain(`in ${realpathSync(workspace)}`);
    const { stderr } = await parley(home, ['approve']);
    expect(stderr).toContain('ada wants to use bash: command="echo a<U+200B>b');
    expect(stderr).toContain('ada wants to use bash: command="echo second"');
    for (const { action } of [first, second]) await answer(server, action, { decision: 'deny' });
    for (const { turnId } of [first, second]) await ended(turnId);
  });

  it('and the command line says when an approved call was not carried out', async () => {
    const { turnId, sessionId, action } = await asking(raw('{"what":"late"}'));
    await server.call('patchSession', { params: { sessionId }, body: { mode: 'read-only' } });
    const { stdout } = await parley(home, ['approve', action.id]);
    expect(stdout).toContain('Not run: ');
    expect(stdout).not.toContain('Allowed once');
    expect((await ended(turnId)).call.state).toBe('rejected');
  });

  it('in the folder that was shown: a link that leads elsewhere by then stops the call', async () => {
    const { turnId, action } = await asking(raw('{"command":"touch here"}', 'bash'), 'lin');
    expect(action.approval!.folder).toBe(realpathSync(places.shown));
    rmSync(places.link);
    symlinkSync(places.other, places.link);
    await answer(server, action, { decision: 'once' });
    const { call: made, result } = await ended(turnId);
    expect(made.state).toBe('rejected');
    expect(result.output).toContain('the working folder changed after');
    expect(existsSync(path.join(places.other, 'here'))).toBe(false);
    expect(existsSync(path.join(places.shown, 'here'))).toBe(false);

    const again = await asking(raw('{"command":"touch here"}', 'bash'), 'lin');
    expect(again.action.approval!.folder).toBe(realpathSync(places.other));
    await answer(server, again.action, { decision: 'once' });
    expect((await ended(again.turnId)).call.state).toBe('complete');
    expect(existsSync(path.join(places.other, 'here'))).toBe(true);
  });

  it('with the tool as it was described: a server that changes it meanwhile is not called', async () => {
    const { turnId, action } = await asking(raw('{"name":"Ada"}', 'asked__hello'));
    const other = await asking(raw('{}', 'asked__alter'), 'bob');
    await answer(server, other.action, { decision: 'once' });
    expect((await ended(other.turnId)).result.output).toBe('altered');
    await answer(server, action, { decision: 'always' });
    const { call: made } = await ended(turnId);
    expect(made).toMatchObject({ name: 'asked__hello', state: expect.stringMatching(/rejected|failed/) });
    await revokeAll();
  });
});

describe('one answer for one call', () => {
  it('of many at once, by every way in, one counts, and what it says happens once', async () => {
    const { turnId, action } = await asking(raw('{"what":"many"}'));
    const count = recorded().length;
    const params = { actionId: action.id };
    const decisions: Decision[] = ['once', 'deny', 'session', 'always', 'once', 'deny', 'once', 'always'];
    const browser = await signInBrowser(server.parley);
    const [cli, ...all] = await Promise.all([
      parley(home, ['approve', action.id]),
      ...decisions.map((decision, index) => {
        const headers = index % 2 ? { Authorization: '', ...browser.headers } : undefined;
        return server.ask('answerAction', { params, body: { decision }, ...(headers && { headers }) });
      }),
    ]);
    const won = all.filter(({ status }) => status === 200).length + (cli.code === 0 ? 1 : 0);
    expect(won).toBe(1);
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set([200, 409]));
    const { answer: kept } = await server.call('getAction', { params });
    const { call: made } = await ended(turnId);
    const ran = kept!.decision !== 'deny';
    expect(made.state).toBe(ran ? 'complete' : 'denied');
    expect(recorded().slice(count)).toEqual(ran ? ['{"what":"many"}'] : []);
    const { grants } = await server.call('listGrants');
    expect(grants.length).toBe(['session', 'always'].includes(kept!.decision) ? 1 : 0);
    await revokeAll();
    await server.refused('action_settled', 'answerAction', { params, body: { decision: 'always' } });
    expect((await server.call('listGrants')).grants).toEqual([]);
  });

  it('and a cancellation at the same moment: whichever is first holds, and nothing is done after it', async () => {
    for (let round = 0; round < 6; round++) {
      const { turnId, action } = await asking(raw(JSON.stringify({ what: `race ${round}` })));
      const count = recorded().length;
      const params = { actionId: action.id };
      const answered = server.ask('answerAction', { params, body: { decision: 'once' } });
      if (round % 2) await new Promise(setImmediate);
      const [{ status }] = await Promise.all([answered, server.cancelTurn(turnId)]);
      await server.settled(turnId);
      const { state } = await server.call('getAction', { params });
      expect([status, state]).toEqual(status === 200 ? [200, 'answered'] : [409, 'withdrawn']);
      const done = recorded().length - count;
      expect(done).toBeLessThanOrEqual(status === 200 ? 1 : 0);
      await server.refused('action_settled', 'answerAction', { params, body: { decision: 'once' } });
      expect(recorded().length - count).toBe(done);
    }
  });

  it('is for that call: the same again in the next step asks again, and other tools and agents ask, too', async () => {
    const step = raw('{"what":"again"}');
    scripted.answers('ada', [step], [step], [raw('{"what":"again"}', 'record_other')], 'Done.');
    const sessionId = await server.open();
    const { turn } = await server.send(sessionId, 'Go.');
    const count = recorded().length;
    const [first] = await waitingIn(server, sessionId);
    await answer(server, first!, { decision: 'once' });
    const [second] = await nextIn(sessionId, first!.id);
    expect(second!.id).not.toBe(first!.id);
    await answer(server, second!, { decision: 'session' });
    const [third] = await nextIn(sessionId, second!.id);
    expect(third!.approval!.tool).toBe('record_other');
    await answer(server, third!, { decision: 'deny' });
    await server.settled(turn.id);
    expect(recorded().slice(count)).toEqual(['{"what":"again"}', '{"what":"again"}']);
    scripted.answers('bob', [step], 'Done.');
    const { turn: guests } = await server.send(sessionId, { content: 'You?', agent: 'bob' });
    const [fourth] = await nextIn(sessionId, third!.id);
    expect(fourth).toMatchObject({ agentId: 'bob', approval: { tool: 'record_it' } });
    await server.cancelTurn(guests.id);
    await revokeAll();
  });

  async function nextIn(sessionId: string, after: string) {
    for (;;) {
      const { actions } = await server.call('listActions', { query: { session: sessionId } });
      if (actions[0] && actions[0].id !== after) return actions;
      await new Promise((resolve) => setTimeout(resolve, 15));
    }
  }
});

describe('an agent with a shell', () => {
  it('cannot answer for the person with the token of its turn: not what it asks now, nor what it will ask', async () => {
    const other = await asking(raw('{"what":"of bob"}'), 'bob');
    const script = [
      'parley tool record it --what inner > inner.txt 2>&1 &',
      'until [ -e go ]; do sleep 0.05; done',
      'for words in "actions" "approve --always $(cat id)" "grants"; do',
      '  echo "== $words"; parley $words 2>&1; echo "code $?"',
      'done',
      'wait',
    ].join('\n');
    scripted.answers('ada', [call('bash', { command: script })], 'Done.');
    const sessionId = await server.open();
    const { turn } = await server.send(sessionId, 'Go.');
    const [bash] = await waitingIn(server, sessionId);
    await answer(server, bash!, { decision: 'once' });
    // Within the script that was approved, what is asked about is asked about.
    const [inner] = await waitingIn(server, sessionId);
    expect(inner).toMatchObject({ agentId: 'ada', approval: { tool: 'record_it', input: '{"what":"inner"}' } });
    writeFileSync(path.join(workspace, 'id'), inner!.id);
    writeFileSync(path.join(workspace, 'go'), '');
    const said = await untilSaid(turn.id, 3);
    for (const section of said) expect(section).toMatch(/Agents can't run this command\..*code [1-9]/s);
    for (const { id } of [inner!, other.action]) {
      const shown = await server.call('getAction', { params: { actionId: id } });
      expect(shown).toMatchObject({ state: 'open', answer: null });
    }
    expect((await server.call('listGrants')).grants).toEqual([]);
    const count = recorded().length;
    await answer(server, inner!, { decision: 'deny', reason: 'Not from there.' });
    await server.settled(turn.id);
    expect(readFileSync(path.join(workspace, 'inner.txt'), 'utf8')).toContain('Not from there.');
    expect(recorded()).toHaveLength(count);
    await server.cancelTurn(other.turnId);
  });

  /** What the script has said of each command it tried, once it has tried them all. */
  async function untilSaid(turnId: string, count: number): Promise<string[]> {
    let said = '';
    const { sessionId } = await server.turn(turnId);
    for await (const { type, data } of server.parley.events(`/api/sessions/${sessionId}/events`)) {
      if (type === 'tool.progress') said += data.text;
      if (said.split(/code \d+\n/).length > count) break;
    }
    return said.split(/(?<=code \d+\n)/).slice(0, count);
  }
});

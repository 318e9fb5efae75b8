import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ActionList } from '../../contract/actions.ts';
import type { Part } from '../../contract/messages.ts';
import type { Session } from '../../contract/sessions.ts';
import type { ToolCall, ToolList } from '../../contract/tools.ts';
import type { ToolEndpoint } from '../../server/agents/host-requests.ts';
import { checkPromises } from '../harness/checker.ts';
import { until } from '../harness/parley.ts';
import type { Frame } from '../harness/sse-frames.ts';
import { Fixture } from './fixture.ts';
import { ParleyTools } from './scripted/parley-tools.ts';

let fixture: Fixture;

beforeAll(async () => {
  fixture = await Fixture.open();
});
afterAll(() => fixture.close());

async function callsOf(turnId: string): Promise<ToolCall[]> {
  return (await fixture.parley.ok<{ calls: ToolCall[] }>('GET', `/api/turns/${turnId}/tool-calls`)).calls;
}

describe('an agent that runs its own tools', () => {
  it('has its calls recorded like any other, marked as its own', async () => {
    const id = await fixture.open('pip');
    const script = [
      'say Looking.',
      'tool t1 Read {"path":"a"} => contents',
      'tool t2 Bash {} => Error: no',
      'say Done.',
    ];
    const { turn } = await fixture.say(id, script.join('\n'));
    expect(turn.state).toBe('complete');
    expect((await callsOf(turn.id)).map(({ name, state, via, output }) => [name, state, via, output])).toEqual([
      ['Read', 'complete', 'agent', 'contents'],
      ['Bash', 'failed', 'agent', 'Error: no'],
    ]);
    const [, answer] = await fixture.parley.messages(id);
    expect(answer!.parts.map(({ type }: Part) => type)).toEqual([
      'text',
      'tool_call',
      'tool_result',
      'tool_call',
      'tool_result',
      'text',
    ]);
  });

  it('tells who watches of its calls, its plan and what it is doing', async () => {
    const id = await fixture.open('pip');
    const frames: Frame[] = [];
    const script = 'plan Look, Write\nstatus Reading\ntool t1 Read {} => ok\nsay Done.';
    for await (const frame of fixture.parley.sendStream(id, { content: script })) frames.push(frame);
    fixture.ledger.note(frames.find(({ type }) => type === 'turn.started')!.data);
    const seen = frames.map(({ type }) => type).filter((type) => /^tool|progress/.test(type));
    expect(seen).toEqual(['turn.progress', 'turn.progress', 'tool.started', 'tool.progress', 'tool.ended']);
    expect(frames.findLast(({ type }) => type === 'turn.progress')!.data).toMatchObject({
      status: 'Reading',
      plan: [
        { text: 'Look', state: 'running' },
        { text: 'Write', state: 'pending' },
      ],
    });
  });

  it('ends a call that it left open with its turn', async () => {
    const { turn } = await fixture.say(await fixture.open('pip'), 'tool t1 Bash {}\nsay Gone.');
    expect((await callsOf(turn.id))[0]).toMatchObject({ state: 'interrupted' });
  });

  it('gives a file, which is part of its answer and goes with it', async () => {
    const id = await fixture.open('pip');
    const { turn } = await fixture.say(id, 'file note.txt Hello there');
    expect(turn.state).toBe('complete');
    const [, answer] = await fixture.parley.messages(id);
    const file = answer!.parts.find((part) => part.type === 'file')!;
    expect(file).toMatchObject({ name: 'note.txt', kind: 'text', bytes: 11 });
    expect(await fixture.parley.ok('GET', `/api/files/${file.fileId}`)).toBe('Hello there');
    await fixture.parley.request('DELETE', `/api/sessions/${id}`);
    fixture.ledger.deleted(id);
    expect((await fixture.parley.request('GET', `/api/files/${file.fileId}`)).status).toBe(404);
  });

  it('leaves work to a session of its own that is linked to this one, and is told what came of it', async () => {
    const id = await fixture.open('pip');
    expect((await fixture.say(id, 'work Index')).text).toBe('begun');
    const told = await until(
      () => fixture.parley.transcript(id),
      (lines) => lines.length === 3,
    );
    expect(told[2]).toBe('pip: Index is done.');
    const { sessions } = await fixture.parley.ok<{ sessions: Session[] }>('GET', `/api/sessions?parent=${id}`);
    expect(sessions).toMatchObject([{ type: 'tool-execution', title: 'Index', status: 'completed' }]);
    fixture.ledger.sessions.set(sessions[0]!.id, 'live');
  });

  it('is stopped when it uses a tool as a guest, and leaves nothing but the reason', async () => {
    const id = await fixture.open('ada');
    const { turn } = await fixture.say(id, 'say Wait.\ntool t1 Bash {} => done', { guest: 'pip' });
    expect(turn).toMatchObject({ state: 'failed', stopReason: 'tool_rejected', error: { code: 'tools_not_allowed' } });
    expect(await fixture.parley.messages(id)).toHaveLength(1);
    expect(await callsOf(turn.id)).toEqual([]);
  });
});

/** A turn that waits for the person, and where its tools are. */
async function waiting(): Promise<{ id: string; turnId: string; endpoint: ToolEndpoint }> {
  const id = await fixture.open('pip');
  const { turn } = await fixture.send(id, 'token\nask q1 Go on?');
  await until(
    () => fixture.parley.session(id),
    ({ status }) => status === 'waiting',
  );
  const { partials } = await fixture.parley.ok<{ partials: { parts: { text: string }[] }[] }>(
    'GET',
    `/api/sessions/${id}/snapshot`,
  );
  return { id, turnId: turn.id, endpoint: JSON.parse(partials[0]!.parts[0]!.text) };
}

async function answerAll(sessionId: string, decision: string): Promise<void> {
  const { actions } = await fixture.parley.ok<ActionList>('GET', `/api/actions?session=${sessionId}`);
  for (const { id } of actions) await fixture.parley.ok('POST', `/api/actions/${id}/answer`, { decision });
}

describe.each(['http', 'stdio'])('the tools of a turn as an MCP server over %s', (way) => {
  it('are those that the agent may use, and no others', async () => {
    const { turn, text } = await fixture.say(await fixture.open('pip'), `tools ${way}`);
    expect(turn.error).toBeNull();
    const { tools } = await fixture.parley.ok<ToolList>('GET', '/api/tools?agent=pip');
    expect(text.trim().split(' ').sort()).toEqual(tools.map(({ name }) => name).sort());
    expect(text).toContain('todo_add');
    expect(text).not.toContain('bash');
  });

  it('are carried out and recorded like any other call; what is not allowed is refused and recorded, too', async () => {
    const id = await fixture.open('pip');
    const script = [`call ${way} todo_add {"title":"Milk ${way}"}`, `call ${way} bash {"command":"ls"}`, 'say Done.'];
    const { turn, text } = await fixture.say(id, script.join('\n'));
    expect(text).toMatch(/Milk/);
    expect(text).toMatch(/error: .*Done\./s);
    expect((await callsOf(turn.id)).map(({ name, via, state }) => [name, via, state])).toEqual([
      ['todo_add', 'mcp', 'complete'],
      ['bash', 'mcp', 'rejected'],
    ]);
  });

  it('a guest has none', async () => {
    const { turn, text } = await fixture.say(await fixture.open('ada'), `tools ${way}\nsay nothing`, { guest: 'pip' });
    expect([turn.state, text]).toEqual(['complete', '\nnothing']);
  });
});

describe('the endpoint of a turn', () => {
  it('waits with the call until the person has approved it', async () => {
    const { id, turnId, endpoint } = await waiting();
    const tools = await ParleyTools.over('http', endpoint);
    const added = await tools.call('todo_add', '{"title":"Old"}');
    const [itemId] = /[\w-]{6,}/.exec(added.replace(/^\D*?(id|ID)\W*/, '')) ?? [];
    const result = tools.call('todo_delete', JSON.stringify({ id: itemId }));
    await until(
      () => fixture.parley.ok<ActionList>('GET', `/api/actions?session=${id}`),
      ({ actions }) => actions.some(({ approval }) => approval?.tool === 'todo_delete'),
    );
    const { actions } = await fixture.parley.ok<ActionList>('GET', `/api/actions?session=${id}`);
    const approval = actions.find(({ kind }) => kind === 'approval')!;
    await fixture.parley.ok('POST', `/api/actions/${approval.id}/answer`, { decision: 'deny' });
    expect(await result).toMatch(/^error: .*denied/);
    await tools.close();
    await answerAll(id, 'decline');
    await fixture.settled(turnId);
  });

  it('answers clients of the older protocol, without a session', async () => {
    const { id, turnId, endpoint } = await waiting();
    const response = await fetch(endpoint.url, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${endpoint.token}`,
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('todo_add')]);
    await answerAll(id, 'decline');
    await fixture.settled(turnId);
  });

  it('is gone with its turn, for HTTP and for the bridge', async () => {
    const { id, turnId, endpoint } = await waiting();
    await answerAll(id, 'decline');
    await fixture.settled(turnId);
    await expect(ParleyTools.over('http', endpoint)).rejects.toThrow();
    await expect(ParleyTools.over('stdio', endpoint)).rejects.toThrow();
  });

  it('carries out nothing that was begun before its turn ended and completed after it', async () => {
    const { id, turnId, endpoint } = await waiting();
    const params = { name: 'todo_add', arguments: { title: 'Too late' } };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    const late = request(endpoint.url, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${endpoint.token}`,
        'Content-Type': 'application/json',
        'Content-Length': String(body.length),
        Accept: 'application/json, text/event-stream',
      },
    });
    const answered = once(late, 'response');
    late.write(body.slice(0, 20));
    await new Promise((resolve) => setTimeout(resolve, 200));
    await answerAll(id, 'decline');
    await fixture.settled(turnId);
    late.end(body.slice(20));
    const [response] = (await answered) as [IncomingMessage];
    let said = '';
    for await (const piece of response) said += piece;
    expect(said).not.toContain('Added');
    expect(await callsOf(turnId)).toEqual([]);
  });

  it('takes only so much from the programs of one turn', async () => {
    const { id, turnId, endpoint } = await waiting();
    const tools = await ParleyTools.over('http', endpoint);
    const input = JSON.stringify({ title: 'x'.repeat(7_000_000) });
    const results: string[] = [];
    for (let time = 0; time < 3; time++)
      results.push(await tools.call('todo_add', input).catch((error: Error) => error.message));
    expect(results[1]).not.toMatch(/too many/i);
    expect(results[2]).toMatch(/too many/i);
    expect(await callsOf(turnId)).toHaveLength(2);
    await tools.close();
    await answerAll(id, 'decline');
    await fixture.settled(turnId);
    await fixture.parley.request('DELETE', `/api/sessions/${id}`);
    fixture.ledger.deleted(id);
  });

  it('has no stream, which clients that ask for one are told instead of being taken for intruders', async () => {
    const { id, turnId, endpoint } = await waiting();
    const headers = { Authorization: `Bearer ${endpoint.token}`, Accept: 'text/event-stream' };
    for (let time = 0; time < 30; time++) expect((await fetch(endpoint.url, { headers })).status).toBe(405);
    const tools = await ParleyTools.over('http', endpoint);
    expect(await tools.names()).toContain('todo_add');
    await tools.close();
    await answerAll(id, 'decline');
    await fixture.settled(turnId);
  });

  it('is for turns only: the credential of the person opens nothing there', async () => {
    const { status, body } = await fixture.parley.request('POST', '/api/turn-tools', { jsonrpc: '2.0' });
    expect([status, (body as { code: string }).code]).toEqual([401, 'turn_token_invalid']);
  });
});

it('every promise is kept', async () => {
  await checkPromises(fixture.parley, fixture.ledger);
});

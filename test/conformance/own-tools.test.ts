import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Part } from '../../contract/messages.ts';
import type { Session } from '../../contract/sessions.ts';
import type { ToolCall } from '../../contract/tools.ts';
import { checkPromises } from '../harness/checker.ts';
import { until } from '../harness/parley.ts';
import type { Frame } from '../harness/sse-frames.ts';
import { Scene } from './scene.ts';

let scene: Scene;

beforeAll(async () => {
  scene = await Scene.open();
});
afterAll(() => scene.close());

async function callsOf(turnId: string): Promise<ToolCall[]> {
  return (await scene.parley.ok<{ calls: ToolCall[] }>('GET', `/api/turns/${turnId}/tool-calls`)).calls;
}

describe('an agent that runs its own tools', () => {
  it('has its calls recorded like any other, marked as its own', async () => {
    const id = await scene.open('pip');
    const script = [
      'say Looking.',
      'tool t1 Read {"path":"a"} => contents',
      'tool t2 Bash {} => Error: no',
      'say Done.',
    ];
    const { turn } = await scene.say(id, script.join('\n'));
    expect(turn.state).toBe('complete');
    expect((await callsOf(turn.id)).map(({ name, state, via, output }) => [name, state, via, output])).toEqual([
      ['Read', 'complete', 'agent', 'contents'],
      ['Bash', 'failed', 'agent', 'Error: no'],
    ]);
    const [, answer] = await scene.parley.messages(id);
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
    const id = await scene.open('pip');
    const frames: Frame[] = [];
    const script = 'plan Look, Write\nstatus Reading\ntool t1 Read {} => ok\nsay Done.';
    for await (const frame of scene.parley.sendStream(id, { content: script })) frames.push(frame);
    scene.ledger.note(frames.find(({ type }) => type === 'turn.started')!.data);
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
    const { turn } = await scene.say(await scene.open('pip'), 'tool t1 Bash {}\nsay Gone.');
    expect((await callsOf(turn.id))[0]).toMatchObject({ state: 'interrupted' });
  });

  it('gives a file, which is part of its answer and goes with it', async () => {
    const id = await scene.open('pip');
    const { turn } = await scene.say(id, 'file note.txt Hello there');
    expect(turn.state).toBe('complete');
    const [, answer] = await scene.parley.messages(id);
    const file = answer!.parts.find((part) => part.type === 'file')!;
    expect(file).toMatchObject({ name: 'note.txt', kind: 'text', bytes: 11 });
    expect(await scene.parley.ok('GET', `/api/files/${file.fileId}`)).toBe('Hello there');
    await scene.parley.request('DELETE', `/api/sessions/${id}`);
    scene.ledger.deleted(id);
    expect((await scene.parley.request('GET', `/api/files/${file.fileId}`)).status).toBe(404);
  });

  it('leaves work to a session of its own that is linked to this one, and is told what came of it', async () => {
    const id = await scene.open('pip');
    expect((await scene.say(id, 'work Index')).text).toBe('begun');
    const told = await until(
      () => scene.parley.transcript(id),
      (lines) => lines.length === 3,
    );
    expect(told[2]).toBe('pip: Index is done.');
    const { sessions } = await scene.parley.ok<{ sessions: Session[] }>('GET', `/api/sessions?parent=${id}`);
    expect(sessions).toMatchObject([{ type: 'tool-execution', title: 'Index', status: 'completed' }]);
    scene.ledger.sessions.set(sessions[0]!.id, 'live');
  });

  it('is stopped when it uses a tool as a guest, and leaves nothing but the reason', async () => {
    const id = await scene.open('ada');
    const { turn } = await scene.say(id, 'say Wait.\ntool t1 Bash {} => done', { guest: 'pip' });
    expect(turn).toMatchObject({ state: 'failed', stopReason: 'tool_rejected', error: { code: 'tools_not_allowed' } });
    expect(await scene.parley.messages(id)).toHaveLength(1);
    expect(await callsOf(turn.id)).toEqual([]);
  });

  it('keeps every promise', async () => {
    await checkPromises(scene.parley, scene.ledger);
  });
});

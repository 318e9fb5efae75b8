import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../contract/ids.ts';
import type { ExportedSession, Session } from '../../contract/sessions.ts';
import { checkPromises } from '../harness/checker.ts';
import { AGENTS, Scene } from './scene.ts';

describe('a clock that jumps', { timeout: 60_000 }, () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await Scene.open({ delayMs: 1 });
  });
  afterAll(() => scene.close());

  it('P5, P9: order is by place, never by time: a past that runs backwards stays in order', async () => {
    const { id } = await scene.session();
    for (const content of ['one', 'two', 'three']) await scene.say(id, { content });
    await scene.say(id, { content: 'four', guest: AGENTS[2]! });
    const exported = await scene.parley.ok<ExportedSession>('GET', `/api/sessions/${id}/export`);
    const backwards = exported.messages.map((message, index) => ({
      ...message,
      id: newId(),
      createdAt: new Date(Date.UTC(2031, 0, 1) - index * 86_400_000).toISOString(),
    }));
    for (const [index, message] of backwards.entries()) message.parentId = backwards[index - 1]?.id ?? null;
    const copy = { ...exported, messages: backwards };
    const imported = await scene.parley.ok<Session>('POST', '/api/imports', copy);
    const order = (messages: { agent: string | null; text: string }[]) => messages.map((m) => [m.agent, m.text]);
    expect(order(await scene.parley.messages(imported.id))).toEqual(order(exported.messages));
    const again = await scene.parley.ok<ExportedSession>('GET', `/api/sessions/${imported.id}/export`);
    expect(order(again.messages)).toEqual(order(exported.messages));
    // It goes on after its last place, although its clock is years ahead.
    await scene.send(imported.id, { content: 'and now' }).then((receipt) => scene.settled(receipt));
    expect((await scene.parley.transcript(imported.id)).at(-2)).toBe('user: and now');
    await checkPromises(scene.parley, scene.ledger);
  });

  it('ids stay in the order in which they were made when the clock goes back', () => {
    const made = [5000, 4000, 4000, 3000, 6000].map((now) => newId(now + 4_000_000_000_000));
    expect([...made].sort()).toEqual(made);
  });
});

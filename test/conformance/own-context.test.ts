import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkDatabase } from '../harness/check-database.ts';
import { until } from '../harness/parley.ts';
import { reconfigure } from '../suites/reconfigure.ts';
import { Scene } from './scene.ts';

let scene: Scene;

beforeAll(async () => {
  scene = await Scene.open();
});
afterAll(() => scene.close());

describe('an agent that owns its context', () => {
  it('is shown only what was said since it was last shown anything, labelled by speaker', async () => {
    const id = await scene.open('pip');
    await scene.say(id, 'say one');
    await scene.say(id, 'Good morning.', { guest: 'ada' });
    const { text } = await scene.say(id, 'recall');
    expect(text.split('\n')).toEqual(['> say one', 'User: Good morning.', expect.stringMatching(/^ada: /)]);
  });

  it('is shown the whole branch when it has no state yet', async () => {
    const id = await scene.open('ada');
    await scene.say(id, 'Hello, Ada.');
    const { text } = await scene.say(id, 'recall', { guest: 'pip' });
    expect(text.split('\n')).toEqual(['User: Hello, Ada.', expect.stringMatching(/^ada: /)]);
  });

  it('keeps its state over a restart of the server', async () => {
    const id = await scene.open('pip');
    await scene.say(id, 'say kept');
    await scene.parley.restart();
    expect((await scene.say(id, 'recall')).text).toBe('> say kept');
  });

  it('is shown everything anew once it has lost what it remembered', async () => {
    const id = await scene.open('pip');
    await scene.say(id, 'say before');
    for (const name of readdirSync(scene.memory)) rmSync(path.join(scene.memory, name));
    expect((await scene.say(id, 'recall')).text).toBe('User: say before\npip: before');
    expect((await scene.say(id, 'recall')).text).toBe('User: say before\npip: before\n> recall');
  });

  it.each([
    ['cleared', (id: string) => scene.parley.request('DELETE', `/api/sessions/${id}/messages`)],
    ['without a message that was deleted', deleteFirst],
  ])('begins anew when its session is %s', async (_, change) => {
    const id = await scene.open('pip');
    await scene.say(id, 'say secret');
    await scene.say(id, 'say more');
    await change(id);
    expect((await scene.say(id, 'recall')).text).not.toContain('secret');
  });

  it('begins anew in a fork and after a retry', async () => {
    const id = await scene.open('pip');
    await scene.say(id, 'say first');
    const fork = await scene.parley.ok<{ id: string }>('POST', `/api/sessions/${id}/forks`, {});
    expect((await scene.say(fork.id, 'recall')).text).toBe('User: say first\npip: first');
    const { turn } = await scene.say(id, 'recall');
    const retried = await scene.parley.ok<{ answer: { text: string } }>(
      'POST',
      `/api/turns/${turn.id}/retries?wait=20`,
      {},
    );
    expect(retried.answer.text).toBe('User: say first\npip: first');
  });

  it('leaves no state to a later agent of the same name', async () => {
    const id = await scene.open('rem');
    await scene.say(id, 'say mine');
    const kept = scene.config().agents;
    await reconfigure(scene, (config) => {
      config.agents = kept.filter(({ agentId }: { agentId: string }) => agentId !== 'rem');
    });
    await reconfigure(scene, (config) => {
      config.agents = kept;
    });
    expect((await scene.say(id, 'recall')).text).toBe('User: say mine\nrem: mine');
  });

  it('leaves nothing behind when its session is deleted', async () => {
    const id = await scene.open('pip');
    await scene.say(id, 'say gone');
    await scene.parley.request('DELETE', `/api/sessions/${id}`);
    expect(checkDatabase(scene.parley.home)).toEqual([]);
  });
});

async function deleteFirst(id: string): Promise<void> {
  const [first] = await scene.parley.messages(id);
  await scene.parley.request('DELETE', `/api/messages/${first!.id}`);
}

it('P10: what an agent was shown is not stored after its session was deleted', async () => {
  const id = await scene.open('pip');
  await scene.send(id, 'late');
  await until(
    () => scene.parley.ok<{ partials: unknown[] }>('GET', `/api/sessions/${id}/snapshot`),
    ({ partials }) => partials.length > 0,
  );
  await scene.parley.request('DELETE', `/api/sessions/${id}`);
  scene.ledger.deleted(id);
  await until(
    async () => scene.programs(),
    (programs) => programs.length === 0,
  );
  const db = new DatabaseSync(path.join(scene.parley.home, 'parley.db'), { readOnly: true });
  const stored = db.prepare("SELECT count(*) AS count FROM request_texts WHERE text LIKE '%late secret%'").get();
  db.close();
  expect(stored!.count).toBe(0);
});

import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkDatabase } from '../harness/check-database.ts';
import { until } from '../harness/parley.ts';
import { reconfigure } from '../suites/reconfigure.ts';
import { Fixture } from './fixture.ts';

let fixture: Fixture;

beforeAll(async () => {
  fixture = await Fixture.open();
});
afterAll(() => fixture.close());

describe('an agent that owns its context', () => {
  it('is shown only what was said since it was last shown anything, labelled by speaker', async () => {
    const id = await fixture.open('pip');
    await fixture.say(id, 'say one');
    await fixture.say(id, 'Good morning.', { guest: 'ada' });
    const { text } = await fixture.say(id, 'recall');
    expect(text.split('\n')).toEqual(['> say one', 'User: Good morning.', expect.stringMatching(/^ada: /)]);
  });

  it('is shown the whole branch when it has no state yet', async () => {
    const id = await fixture.open('ada');
    await fixture.say(id, 'Hello, Ada.');
    const { text } = await fixture.say(id, 'recall', { guest: 'pip' });
    expect(text.split('\n')).toEqual(['User: Hello, Ada.', expect.stringMatching(/^ada: /)]);
  });

  it('keeps its state over a restart of the server', async () => {
    const id = await fixture.open('pip');
    await fixture.say(id, 'say kept');
    await fixture.parley.restart();
    expect((await fixture.say(id, 'recall')).text).toBe('> say kept');
  });

  it('is shown everything anew once it has lost what it remembered', async () => {
    const id = await fixture.open('pip');
    await fixture.say(id, 'say before');
    for (const name of readdirSync(fixture.memory)) rmSync(path.join(fixture.memory, name));
    expect((await fixture.say(id, 'recall')).text).toBe('User: say before\npip: before');
    expect((await fixture.say(id, 'recall')).text).toBe('User: say before\npip: before\n> recall');
  });

  it.each([
    ['cleared', (id: string) => fixture.parley.request('DELETE', `/api/sessions/${id}/messages`)],
    ['without a message that was deleted', deleteFirst],
  ])('begins anew when its session is %s', async (_, change) => {
    const id = await fixture.open('pip');
    await fixture.say(id, 'say secret');
    await fixture.say(id, 'say more');
    await change(id);
    expect((await fixture.say(id, 'recall')).text).not.toContain('secret');
  });

  it('begins anew in a fork and after a retry', async () => {
    const id = await fixture.open('pip');
    await fixture.say(id, 'say first');
    const fork = await fixture.parley.ok<{ id: string }>('POST', `/api/sessions/${id}/forks`, {});
    expect((await fixture.say(fork.id, 'recall')).text).toBe('User: say first\npip: first');
    const { turn } = await fixture.say(id, 'recall');
    const retried = await fixture.parley.ok<{ answer: { text: string } }>(
      'POST',
      `/api/turns/${turn.id}/retries?wait=20`,
      {},
    );
    expect(retried.answer.text).toBe('User: say first\npip: first');
  });

  it('leaves no state to a later agent of the same name', async () => {
    const id = await fixture.open('rem');
    await fixture.say(id, 'say mine');
    const kept = fixture.config().agents;
    await reconfigure(fixture, (config) => {
      config.agents = kept.filter(({ agentId }: { agentId: string }) => agentId !== 'rem');
    });
    await reconfigure(fixture, (config) => {
      config.agents = kept;
    });
    expect((await fixture.say(id, 'recall')).text).toBe('User: say mine\nrem: mine');
  });

  it('leaves nothing behind when its session is deleted', async () => {
    const id = await fixture.open('pip');
    await fixture.say(id, 'say gone');
    await fixture.parley.request('DELETE', `/api/sessions/${id}`);
    expect(checkDatabase(fixture.parley.home)).toEqual([]);
  });
});

async function deleteFirst(id: string): Promise<void> {
  const [first] = await fixture.parley.messages(id);
  await fixture.parley.request('DELETE', `/api/messages/${first!.id}`);
}

it('P10: what an agent was shown is not stored after its session was deleted', async () => {
  const id = await fixture.open('pip');
  await fixture.send(id, 'late');
  await until(
    () => fixture.parley.ok<{ partials: unknown[] }>('GET', `/api/sessions/${id}/snapshot`),
    ({ partials }) => partials.length > 0,
  );
  await fixture.parley.request('DELETE', `/api/sessions/${id}`);
  fixture.ledger.deleted(id);
  await until(
    async () => fixture.programs(),
    (programs) => programs.length === 0,
  );
  const db = new DatabaseSync(path.join(fixture.parley.home, 'parley.db'), { readOnly: true });
  const stored = db.prepare("SELECT count(*) AS count FROM request_texts WHERE text LIKE '%late secret%'").get();
  db.close();
  expect(stored!.count).toBe(0);
});

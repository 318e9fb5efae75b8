import type { Receipt } from '../../contract/turns.ts';
import { AGENTS, type Fixture, isDeath } from './fixture.ts';

/**
 * A little of everything that writes: sends, a queue that is edited, a guest, a cancellation, a retry, a revision, a
 * fork, a compaction, a clearing and a deletion. Stops where the server dies; says whether it did.
 */
export async function doEverything(fixture: Fixture): Promise<'died' | 'lived'> {
  try {
    await talk(fixture);
    await branch(fixture);
    await wipe(fixture);
    return 'lived';
  } catch (error) {
    if (isDeath(error)) return 'died';
    throw error;
  }
}

async function talk(fixture: Fixture): Promise<void> {
  const { parley, ledger } = fixture;
  const { id } = await fixture.session(AGENTS[0], { id: 'talk' });
  const first = await fixture.send(id, { content: 'first' });
  await fixture.send(id, { content: 'second' });
  const edited = await fixture.send(id, { content: 'third' });
  ledger.sent.get(edited.message.id)!.mayBeGone = true;
  ledger.everSaid.add('third, edited');
  await parley.request('PATCH', `/api/turns/${edited.turn.id}`, { content: 'third, edited' });
  const current = await parley.ok<{ text: string }>('GET', `/api/messages/${edited.message.id}`);
  Object.assign(ledger.sent.get(edited.message.id)!, { text: current.text, mayBeGone: false });
  const guest = await fixture.send(id, { content: 'and you?', guest: AGENTS[2]! });
  await fixture.settled(first);
  await fixture.settled(guest);
  const stopped = await fixture.send(id, { content: 'too long', agent: AGENTS[1]! });
  await parley.request('POST', `/api/turns/${stopped.turn.id}/cancellation`);
}

async function branch(fixture: Fixture): Promise<void> {
  const { parley, ledger } = fixture;
  const [first] = await parley.messages('talk');
  const turns = await parley.ok<{ turns: Receipt['turn'][] }>('GET', '/api/sessions/talk/turns');
  const retried = await parley.ok<Receipt>('POST', `/api/turns/${turns.turns[0]!.id}/retries?wait=10`, {});
  ledger.note(retried);
  await parley.ok('POST', '/api/sessions/talk/compactions', { keep: 2 });
  await parley.ok('POST', '/api/sessions/talk/forks', {});
  const revision = { id: 'revision', content: 'first, said better' };
  const entry = { ...revision, sessionId: 'talk', text: revision.content, agent: undefined, guest: false };
  ledger.sent.set('revision', { ...entry, acknowledged: false, mayBeGone: false });
  await fixture.settled(await parley.ok<Receipt>('POST', `/api/messages/${first!.id}/revisions`, revision));
  ledger.sent.get('revision')!.acknowledged = true;
}

async function wipe(fixture: Fixture): Promise<void> {
  const { parley, ledger } = fixture;
  for (const [id, method, route] of [
    ['cleared', 'DELETE', '/api/sessions/cleared/messages'],
    ['deleted', 'DELETE', '/api/sessions/deleted'],
  ] as const) {
    await fixture.session(AGENTS[0], { id });
    await fixture.send(id, { content: `in ${id}` });
    await fixture.send(id, { content: `waits in ${id}` });
    ledger.doubt(id);
    await parley.ok(method, route);
    if (id === 'deleted') ledger.deleted(id);
    else {
      ledger.cleared(id);
      ledger.sessions.set(id, 'live');
    }
  }
  await fixture.say('cleared', { content: 'after the clearing' });
}

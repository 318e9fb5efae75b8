import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkPromises } from '../harness/checker.ts';
import { until } from '../harness/parley.ts';
import { ScriptedAgents } from '../suites/scripted-agents.ts';
import { framesUntil } from '../suites/test-server.ts';
import { Fixture } from './fixture.ts';
import { type Begun, KINDS } from './kinds.ts';

let fixture: Fixture;

beforeAll(async () => {
  fixture = await Fixture.open();
});
afterAll(() => fixture.close());

/** Waits until clients can see that the turn has said something. */
async function spoken({ sessionId }: Begun): Promise<void> {
  await until(
    () => fixture.parley.ok<{ partials: unknown[] }>('GET', `/api/sessions/${sessionId}/snapshot`),
    ({ partials }) => partials.length > 0,
  );
}

async function noProgramsLeft(): Promise<void> {
  await until(
    async () => fixture.programs(),
    (left) => left.length === 0,
  );
}

describe.each(KINDS)('an agent of the kind $name', ({ begin }) => {
  it('speaks, then ends once, and nothing comes after its end', async () => {
    const { sessionId, turnId } = await begin(fixture, 'speaks');
    const { turn, answer } = await fixture.settled(turnId);
    expect([turn.state, answer!.status]).toEqual(['complete', 'complete']);
    expect(answer!.text).toMatch(/^Hello\./);
    const events = fixture.parley.events(`/api/sessions/${sessionId}/events?after=0`);
    const told = await framesUntil(events, ({ type, data }) => type === 'turn.settled' && data.turn.id === turnId);
    const types = told.map(({ type }) => type).filter((type) => /^(turn|message)/.test(type));
    expect(types).toEqual(['turn.queued', 'turn.started', 'message.created', 'turn.settled']);
  });

  it('ends soon when it is cancelled, keeps what it said, and stops what it had started', async () => {
    const begun = await begin(fixture, 'hangs');
    await spoken(begun);
    const before = performance.now();
    await fixture.parley.ok('POST', `/api/turns/${begun.turnId}/cancellation`);
    const { turn, answer } = await fixture.settled(begun.turnId);
    expect(performance.now() - before).toBeLessThan(10_000);
    expect([turn.state, answer!.status]).toEqual(['cancelled', 'interrupted']);
    expect(answer!.text).toMatch(/^Hello\./);
    await noProgramsLeft();
  });

  it('fails with words for the person, and keeps what it said', async () => {
    const { turnId } = await begin(fixture, 'fails');
    const { turn, answer } = await fixture.settled(turnId);
    expect(turn).toMatchObject({ state: 'failed', error: { message: expect.stringMatching(/\w/) } });
    expect([answer!.text.slice(0, 6), answer!.status]).toEqual(['Hello.', 'interrupted']);
  });
});

describe('an agent that is asked as a guest', () => {
  it.each([
    ['chat', 'pip', 'ada', 'ada heard: say Hi.'],
    ['scripted', 'ada', 'pip', 'Hi.'],
  ])('of the kind %s speaks in its turn, and stays a guest', async (_, primary, guest, words) => {
    new ScriptedAgents(fixture.provider);
    const id = await fixture.open(primary);
    const { turn, text } = await fixture.say(id, 'say Hi.', { guest });
    expect([turn.state, turn.guest, text]).toEqual(['complete', true, words]);
  });
});

describe('a message to a turn that runs', () => {
  it.each([
    ['chat', 0, 202],
    ['scripted', 2, 422],
  ])('is taken by a %s agent, or refused with a reason', async (_, kind, status) => {
    const begun = await KINDS[kind]!.begin(fixture, 'hangs');
    await spoken(begun);
    const message = { content: 'And more.', busy: 'steer' as const };
    const answer = await fixture.ledger.send(fixture.parley, begun.sessionId, message);
    await fixture.parley.ok('POST', `/api/sessions/${begun.sessionId}/cancellation`);
    expect(answer.status).toBe(status);
  });
});

describe('a program that misbehaves', () => {
  const failing = ['program_failed', 'internal_error'];

  it.each([
    ['dies in the middle of its answer', 'say one\ndie', 'one', failing],
    ['writes a line without an end', 'say one\nflood\nhang', 'one', failing],
    ['writes a line that is no JSON', 'say one\ngarbage\nhang', 'one', failing],
    ['makes its agent throw', 'say one\nthrow\nhang', 'one', failing],
    ['goes on after its end', 'say one\nend\nsay two\nhang', 'one', null],
  ])('that %s costs its turn and nothing else', async (_, script, said, codes) => {
    const id = await fixture.open('pip');
    const { turn, text } = await fixture.say(id, script);
    if (codes === null) expect(turn.state).toBe('complete');
    else expect(codes).toContain(turn.error?.code);
    expect(text).toBe(said);
    await noProgramsLeft();
    expect((await fixture.say(id, 'say fine')).text).toBe('fine');
  });

  it('that ignores SIGTERM is killed', async () => {
    const id = await fixture.open('pip');
    const { turn } = await fixture.send(id, 'deaf');
    await spoken({ sessionId: id, turnId: turn.id });
    await fixture.parley.ok('POST', `/api/turns/${turn.id}/cancellation`);
    expect((await fixture.settled(turn.id)).turn.state).toBe('cancelled');
    await noProgramsLeft();
  });
});

it('after kill -9 what was said stays, nothing runs twice, and no program is left', async () => {
  const begun: Begun[] = [];
  for (const { begin } of KINDS.filter(({ reattaches }) => !reattaches)) {
    begun.push(await begin(fixture, 'hangs'));
    await spoken(begun.at(-1)!);
  }
  // What was said is on disk a quarter of a second later.
  await new Promise((resolve) => setTimeout(resolve, 500));
  await fixture.parley.kill();
  expect(fixture.programs()).not.toEqual([]);
  await fixture.parley.restart();
  for (const { turnId } of begun) {
    const { turn, answer } = await fixture.settled(turnId);
    expect(turn).toMatchObject({ state: 'interrupted', stopReason: 'server_stopped' });
    expect(answer!.text).toBe('Hello.');
  }
  await noProgramsLeft();
});

it('every promise is kept', async () => {
  await checkPromises(fixture.parley, fixture.ledger);
});

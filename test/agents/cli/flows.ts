import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../harness/parley.ts';
import { ask, resultsIn } from '../../suites/scripted-agents.ts';
import { framesUntil } from '../../suites/test-server.ts';
import { Bench, calls, type ProgramUnderTest } from './bench.ts';

export interface Abilities {
  /** It asks before it acts. Otherwise nothing stops what it does as a guest before it is told of. */
  readonly asksFirst: boolean;
  /** It uses Parley's tools. */
  readonly usesParley: boolean;
  /** It asks before it writes a file, and says what would change. */
  readonly showsDiffs: boolean;
  /** It takes what the person adds while it works. */
  readonly steers: boolean;
  /** It stops by itself when it is cancelled, so that it can be kept. */
  readonly survivesCancel: boolean;
  /** It tells of every tool that it is made to use as a guest. Otherwise it has none then, or none that changes anything. */
  readonly tellsAsGuest: boolean;
  /** Its session is there after it was killed in the middle of an answer. */
  readonly survivesKill: boolean;
  /** It says what it intends to do, step by step. */
  readonly plans: boolean;
  /** It asks the person questions. */
  readonly asks: boolean;
}

export const CLI: Abilities = {
  ...{ asksFirst: true, usesParley: true },
  ...{ showsDiffs: true, steers: true, survivesCancel: false, survivesKill: true, tellsAsGuest: true },
  ...{ plans: false, asks: false },
};

/**
 * What every program must do, whether it is the real one in front of a scripted model or a scripted one. Both understand the
 * same words: `RUN command`, `WRITE file`, `LONG`, `PARLEY words`, `DELEGATE words`, `RECALL`; they greet everything else.
 */
export function describeProgram(name: string, open: () => Promise<ProgramUnderTest>, able: Abilities): void {
  describe(`an agent that is ${name}`, () => {
    let bench: Bench;
    beforeAll(async () => {
      bench = await Bench.open(await open());
    }, 60_000);
    afterAll(() => bench?.close(), 30_000);

    it('answers in pieces, as they come', async () => {
      const id = await bench.session();
      const events = bench.parley.events(`/api/sessions/${id}/events?after=0`);
      // Connected: what is told live from now on is heard.
      await events.next();
      const turn = await bench.send(id, 'Good morning.');
      const told = await framesUntil(events, ({ type, data }) => type === 'turn.settled' && data.turn.id === turn.id);
      const { answer } = await bench.settled(turn.id);
      expect(answer!.text).toMatch(/^Hello/);
      expect(told.filter(({ type }) => type === 'delta').length).toBeGreaterThan(0);
      expect((await bench.parley.turn(turn.id)).state).toBe('complete');
    });

    it.runIf(able.asksFirst)('waits for the person before it acts, who sees all that would run', async () => {
      const id = await bench.session();
      const turn = await bench.send(id, 'RUN touch allowed.txt');
      const action = await bench.action(id);
      expect(action).toMatchObject({ kind: 'approval', agentId: 'prog' });
      expect(action.approval!.input).toContain('touch allowed.txt');
      expect(action.approval!.risk).toBe('execute');
      expect(existsSync(bench.file('allowed.txt'))).toBe(false);
      await bench.answer(action, { decision: 'once' });
      await bench.answerAll(id, turn.id, { decision: 'once' });
      const { turn: ended, answer } = await bench.settled(turn.id);
      expect([ended.state, existsSync(bench.file('allowed.txt'))]).toEqual(['complete', true]);
      expect(calls(answer).map(({ state }) => state)).toEqual(['complete']);
    });

    it.runIf(able.asksFirst)('does not act when the person denies it, and is told so', async () => {
      const id = await bench.session();
      const turn = await bench.send(id, 'RUN touch denied.txt');
      await bench.answerAll(id, turn.id, { decision: 'deny', reason: 'Not now.' });
      const { turn: ended } = await bench.settled(turn.id);
      expect(existsSync(bench.file('denied.txt'))).toBe(false);
      expect(ended.state).toBe('complete');
    });

    it('changes a file in its workspace', async () => {
      const id = await bench.session();
      const turn = await bench.send(id, `WRITE ${bench.file('note.txt')}`);
      const asked = await bench.answerAll(id, turn.id, { decision: 'once' });
      const { answer } = await bench.settled(turn.id);
      expect(readFileSync(bench.file('note.txt'), 'utf8').trim()).toBe('hello file');
      expect(calls(answer).length).toBeGreaterThan(0);
      if (able.showsDiffs) expect(asked[0]!.approval!.result).toContain('+hello file');
    });

    it.runIf(able.plans)('shows what it intends to do', async () => {
      const id = await bench.session();
      const events = bench.parley.events(`/api/sessions/${id}/events?after=0`);
      // Plans are told only to clients that listen: the first frame proves that this one does.
      await events.next();
      const turn = await bench.send(id, 'PLAN Look, Leap');
      const told = await framesUntil(events, ({ type, data }) => type === 'turn.settled' && data.turn.id === turn.id);
      const plans = told.filter(({ type }) => type === 'turn.progress').map(({ data }) => data.plan);
      expect(plans.at(-1)).toEqual([
        { text: 'Look', state: 'pending' },
        { text: 'Leap', state: 'pending' },
      ]);
    });

    it.runIf(able.asks)('asks the person, and goes on with the answer', async () => {
      const id = await bench.session();
      const turn = await bench.send(id, 'ASK Which colour?');
      const action = await bench.action(id);
      expect(action).toMatchObject({ kind: 'question', question: { question: 'Which colour?' } });
      const [field] = action.question!.fields!;
      expect(field).toMatchObject({ type: 'choice', options: ['Red', 'Blue'] });
      await bench.answer(action, { decision: 'answer', values: { [field!.name]: 'Blue' } });
      expect((await bench.settled(turn.id)).answer!.text).toMatch(/^Tool said: .*"Blue"/);
    });

    it('stops when it is cancelled, and answers again afterwards', async () => {
      const id = await bench.session();
      const turn = await bench.send(id, 'LONG');
      await bench.spoken(id);
      const before = bench.programs().length;
      await bench.parley.ok('POST', `/api/turns/${turn.id}/cancellation`);
      const { turn: ended, answer } = await bench.settled(turn.id);
      expect([ended.state, answer!.status]).toEqual(['cancelled', 'interrupted']);
      await until(
        async () => bench.programs().length,
        (left) => (able.survivesCancel ? left === before : left < before),
      );
      expect((await bench.say(id, 'Good morning.')).text).toMatch(/^Hello/);
    });

    it('goes on after a restart of the server with what it remembers', async () => {
      const id = await bench.session();
      await bench.say(id, 'My word is heron.');
      await bench.parley.restart();
      const { text } = await bench.say(id, 'RECALL');
      expect(text).toContain('heron');
      const [first] = (await bench.parley.messages(id)).filter(({ role }) => role === 'assistant');
      expect(first!.parts.some(({ type }) => type === 'notice')).toBe(false);
    });

    it('goes on after the server was killed in the middle of its answer, and is told all of it once', async () => {
      const id = await bench.session();
      await bench.say(id, 'My word is heron.');
      const turn = await bench.send(id, 'LONG words, please.');
      await bench.spoken(id);
      // That the program was told is on disk before anything that it says is shown.
      await bench.parley.kill();
      await bench.parley.restart();
      const killed = await bench.settled(turn.id);
      expect(killed.turn.state).toBe('interrupted');
      bench.scripted.answers('ada', 'Ada was here.');
      await bench.say(id, 'And you?', { guest: 'ada' });
      const { turn: next, text, answer } = await bench.say(id, 'RECALL');
      expect(next.state).toBe('complete');
      const told = ['heron', 'LONG words', 'And you?', 'Ada was here.'].map((words) => [
        words,
        text.split(words).length - 1,
      ]);
      expect(told).toEqual(told.map(([words]) => [words, 1]));
      expect(answer!.parts.some(({ type }) => type === 'notice')).toBe(!able.survivesKill);
      const asked = (await bench.parley.messages(id)).filter(({ role }) => role === 'user').map((each) => each.text);
      expect(asked).toEqual(['My word is heron.', 'LONG words, please.', 'And you?', 'RECALL']);
    });

    it('is told everything again once it has lost what it remembered, and the person is told that', async () => {
      const id = await bench.session();
      await bench.say(id, 'My word is bittern.');
      await bench.parley.stop();
      bench.program.forget();
      await bench.parley.restart();
      const { text, answer } = await bench.say(id, 'RECALL');
      expect(text).toContain('bittern');
      expect(answer!.parts.filter(({ type }) => type === 'notice')).toHaveLength(1);
      const again = await bench.say(id, 'RECALL');
      expect(again.answer!.parts.filter(({ type }) => type === 'notice')).toHaveLength(0);
    });

    it('is shown what others said meanwhile', async () => {
      const id = await bench.session();
      await bench.say(id, 'Good morning.');
      bench.scripted.answers('ada', 'The answer is forty-two.');
      await bench.say(id, 'And you?', { guest: 'ada' });
      expect((await bench.say(id, 'RECALL')).text).toContain('ada: The answer is forty-two.');
    });

    it('answers as a guest, and changes nothing then', async () => {
      const id = await bench.session('ada');
      const { turn, text } = await bench.say(id, 'Good morning.', { guest: 'prog' });
      expect([turn.state, turn.guest]).toEqual(['complete', true]);
      expect(text).toMatch(/^Hello/);
      const tried = await bench.say(id, 'RUN touch guest.txt', { guest: 'prog' });
      if (able.asksFirst) expect(existsSync(bench.file('guest.txt'))).toBe(false);
      if (able.tellsAsGuest) expect(tried.turn.error?.code).toBe('tools_not_allowed');
      else expect(calls(tried.answer)).toEqual([]);
    });

    it('gives work to another agent with a tag, and goes on from the answer', async () => {
      const id = await bench.session();
      bench.scripted.answers('ada', 'The kettle is on.');
      const { turn } = await bench.say(id, 'DELEGATE make tea');
      expect(turn.state).toBe('complete');
      const said = await bench.parley.transcript(id);
      expect(said).toContainEqual('ada: The kettle is on.');
      expect(said.at(-1)).toMatch(/^prog: Delegates said: [\s\S]*The kettle is on\./);
      expect(said.join('\n')).not.toContain('<delegate');
    });

    it('does the work that another agent gives it', async () => {
      const id = await bench.session('ada');
      bench.scripted.answers(
        'ada',
        [ask('prog', 'Good morning.')],
        (request) => `Prog says: ${resultsIn(request).join()}`,
      );
      const { text } = await bench.say(id, 'Ask it.');
      expect(text).toContain('Hello');
    });

    it.runIf(able.usesParley)('uses a tool of Parley, which is shown once', async () => {
      const id = await bench.session();
      const { turn, answer } = await bench.say(id, 'PARLEY buy milk');
      expect(turn.state).toBe('complete');
      expect(calls(answer).map(({ name, state }) => [name, state])).toEqual([['todo_add', 'complete']]);
      expect(answer!.text).toContain('Tool said');
    });

    it.runIf(able.asksFirst)(
      able.steers ? 'takes what the person adds while it works' : 'takes nothing while it works, and says so',
      async () => {
        const id = await bench.session();
        const turn = await bench.send(id, 'RUN touch steered.txt');
        const action = await bench.action(id);
        const message = { content: 'My word is crane.', busy: 'steer' };
        const added = await bench.parley.request<{ code?: string }>('POST', `/api/sessions/${id}/messages`, message);
        expect([added.status, added.body.code]).toEqual(able.steers ? [202, undefined] : [422, 'steer_unsupported']);
        if (!able.steers) await bench.parley.send(id, { content: 'My word is crane.' });
        await bench.answer(action, { decision: 'once' });
        await bench.answerAll(id, turn.id, { decision: 'once' });
        expect((await bench.settled(turn.id)).turn.state).toBe('complete');
        const { text } = await bench.say(id, 'RECALL');
        expect(text).toContain('crane');
      },
    );

    it('keeps its program between turns', async () => {
      const id = await bench.session();
      await bench.say(id, 'Good morning.');
      const kept = bench.programs();
      await bench.say(id, 'Good evening.');
      expect(bench.programs()).toEqual(kept);
    });
  });
}

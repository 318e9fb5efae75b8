import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../harness/parley.ts';
import { AcpFixture, acpAgent } from './acp/fixture.ts';

let fixture: AcpFixture;

beforeAll(async () => {
  fixture = await AcpFixture.open((memory) => [acpAgent('pip', memory), acpAgent('driver', memory, ['steers'])]);
});
afterAll(() => fixture.close());

const FORM = {
  properties: {
    colour: {
      ...{ type: 'string', title: 'Colour', description: null, default: null },
      oneOf: [
        { const: '#f00', title: 'Red' },
        { const: '#00f', title: 'Blue' },
      ],
    },
    count: { type: 'integer', minimum: 1, maximum: null },
  },
  required: ['colour'],
};
const ELICIT = `elicit Which one? => ${JSON.stringify(FORM)}`;

/** The values of each answer in turn, and what the program was told in the end. */
async function told(script: string, ...answers: object[]): Promise<string> {
  const id = await fixture.open('pip');
  const { turn } = await fixture.send(id, script);
  for (const values of answers) await fixture.answer(await fixture.asked(id), { decision: 'answer', values } as never);
  return (await fixture.settled(turn.id)).answer!.text;
}

describe('what an ACP agent asks the person', () => {
  it('is shown as a form, and the answer goes back as the program wants it', async () => {
    const id = await fixture.open('pip');
    const { turn } = await fixture.send(id, ELICIT);
    const action = await fixture.asked(id);
    expect(action).toMatchObject({ kind: 'question', agentId: 'pip' });
    expect(action.question).toEqual({
      question: 'Which one?',
      fields: [
        { name: 'colour', type: 'choice', label: 'Colour', options: ['Red', 'Blue'], required: true },
        { name: 'count', type: 'integer' },
      ],
    });
    await fixture.answer(action, { decision: 'answer', values: { colour: 'Blue', count: 2 } });
    expect(JSON.parse((await fixture.settled(turn.id)).answer!.text)).toEqual({
      action: 'accept',
      content: { colour: '#00f', count: 2 },
    });
  });

  it('is asked again while the answer is not what the program wants', async () => {
    expect(await told(ELICIT, { colour: 'Red', count: 0 }, { colour: 'Red' })).toBe(
      '{"action":"accept","content":{"colour":"#f00"}}',
    );
  });

  it('may be declined', async () => {
    const id = await fixture.open('pip');
    const { turn } = await fixture.send(id, ELICIT);
    await fixture.answer(await fixture.asked(id), { decision: 'decline' });
    expect((await fixture.settled(turn.id)).answer!.text).toBe('{"action":"decline"}');
  });

  it.each([
    ['a field of a kind that nothing is known of', { properties: { when: { type: '_calendar' } } }],
    ['more fields than a person is shown', { properties: Object.fromEntries(manyFields()) }],
  ])('is not asked with %s', async (_, form) => {
    expect(await told(`elicit Well? => ${JSON.stringify(form)}`)).toMatch(/^\{"action":"cancel".*too large/);
  });

  it('is withdrawn when the turn is cancelled, and the program is told', async () => {
    const id = await fixture.open('pip');
    const { turn } = await fixture.send(id, ELICIT);
    await fixture.asked(id);
    await fixture.cancel(turn.id);
    expect((await fixture.settled(turn.id)).turn.state).toBe('cancelled');
    await until(
      async () => fixture.remembered('answers'),
      (answers) => answers.endsWith('{"action":"cancel"}\n'),
    );
    expect(await fixture.actions(id)).toEqual([]);
  });

  it('is not asked by a guest', async () => {
    const id = await fixture.open('ada');
    expect((await fixture.say(id, ELICIT, { guest: 'pip' })).text).toBe('{"action":"cancel"}');
  });
});

function manyFields() {
  return Array.from({ length: 21 }, (_, at) => [`field${at}`, { type: 'string' }]);
}

describe('a message to an ACP agent that works', () => {
  const WORKS =
    'say Begun.\npermit Bash-1 execute {"command":"make"}\ntool Bash-1 execute {"command":"make"} => made\n';

  it('reaches a program that takes it, between two of its tools', async () => {
    const id = await fixture.open('driver');
    const { turn } = await fixture.send(id, `${WORKS}wait 500\nrecall`);
    const action = await fixture.asked(id);
    await fixture.send(id, 'Use make instead.', { busy: 'steer' });
    await fixture.answer(action, { decision: 'once' });
    expect((await fixture.settled(turn.id)).answer!.text).toMatch(/\nsteered [\s\S]*Use make instead\./);
  });

  it('is answered by a prompt of its own when it comes after the last tool', async () => {
    const id = await fixture.open('driver');
    const { turn } = await fixture.send(id, 'say Begun.\nwait 500');
    await fixture.spoken(id);
    await fixture.send(id, 'say Added.', { busy: 'steer' });
    expect((await fixture.settled(turn.id)).turn.state).toBe('complete');
    const said = (await fixture.parley.messages(id)).filter(({ role }) => role === 'assistant');
    expect(said.map(({ text }) => text)).toEqual(['Begun.', 'Added.']);
  });

  it('has nothing to do with a program that stops because it was denied something', async () => {
    const id = await fixture.open('pip');
    const { turn, text } = await fixture.say(id, 'say No.\nstop\nsay never');
    expect([turn.state, turn.stopReason, text]).toEqual(['complete', 'cancelled', 'No.']);
  });

  it('is refused with a reason by one that does not', async () => {
    const id = await fixture.open('pip');
    const { turn } = await fixture.send(id, `${WORKS}recall`);
    const action = await fixture.asked(id);
    const refused = await fixture.ledger.send(fixture.parley, id, { content: 'More.', busy: 'steer' });
    expect([refused.status, refused.body]).toMatchObject([422, { code: 'steer_unsupported' }]);
    await fixture.answer(action, { decision: 'once' });
    expect((await fixture.settled(turn.id)).turn.state).toBe('complete');
  });
});

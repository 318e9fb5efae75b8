import { describe, expect, test } from 'vitest';
import { askPerson } from '../../cli/actions/desk.ts';
import type { Action, QuestionField } from '../../contract/actions.ts';
import { anAction } from '../harness/shapes.ts';

/** Somebody who has their answers ready. */
async function asked(action: Action, ...answers: string[]) {
  const prompts: string[] = [];
  const told: string[] = [];
  const answer = await askPerson(
    {
      ask: async (prompt) => {
        prompts.push(prompt);
        return answers.shift() ?? expect.fail(`nobody answers ${prompt}`);
      },
      say: (line) => void told.push(line),
    },
    action,
  );
  expect(answers).toEqual([]);
  return { answer, prompts, told };
}

const question = (fields?: QuestionField[]): Action =>
  anAction({ kind: 'question', question: { question: 'Well?', ...(fields && { fields }) } });

describe('asking a person', () => {
  test.each([
    ['yes', { decision: 'once' }],
    [' Y ', { decision: 'once' }],
    ['l', null],
  ])('an approval is answered with %j', async (typed, answer) => {
    expect((await asked(anAction(), typed)).answer).toEqual(answer);
  });

  test('nothing but a clear answer counts', async () => {
    const { answer, told } = await asked(anAction(), '', 'yes please', 'ok', 'n', '  ');
    expect(answer).toEqual({ decision: 'deny' });
    expect(told).toHaveLength(3);
  });

  test('arguments that cannot be read are not sent', async () => {
    const { answer, told } = await asked(anAction(), 'e', '{"a":', 'e', '[1]', 'e', '', 'e', '{"a":1}');
    expect(answer).toEqual({ decision: 'once', input: { a: 1 } });
    expect(told).toHaveLength(2);
  });

  test('a question wants words, and none decline it', async () => {
    expect((await asked(question(), ' the blue one ')).answer).toEqual({ decision: 'answer', text: ' the blue one ' });
    expect((await asked(question(), '  ')).answer).toEqual({ decision: 'decline' });
  });

  test('fields are asked one by one, until each has a value that fits', async () => {
    const fields: QuestionField[] = [
      { name: 'size', type: 'number', required: true },
      { name: 'count', type: 'integer', default: 1 },
      { name: 'gift', type: 'boolean' },
      { name: 'colour', type: 'choice', options: ['red', 'blue'], label: 'Which one?' },
      { name: 'extras', type: 'choices', options: ['bow', 'card'] },
      { name: 'note', type: 'text' },
    ];
    const typed = ['big', '1.5', '', 'maybe', 'no', 'green', '2', 'bow, card', ''];
    const { answer, prompts, told } = await asked(question(fields), ...typed);
    expect(answer).toEqual({
      decision: 'answer',
      values: { size: 1.5, count: 1, gift: false, colour: 'blue', extras: ['bow', 'card'] },
    });
    expect(prompts[0]).toBe('size (a number, needed) (empty to skip) › ');
    expect(prompts).toContain('colour: Which one? (red | blue) › ');
    expect(told).toEqual(['It must be a number.', 'It must be yes or no.', 'It must be one of: red, blue.']);
    expect((await asked(question(fields), '')).answer).toEqual({ decision: 'decline' });
  });

  test('a limit is passed or not', async () => {
    expect((await asked(anAction({ kind: 'limit' }), 'y')).answer).toEqual({ decision: 'continue' });
    expect((await asked(anAction({ kind: 'limit' }), 'hm', 'n')).answer).toEqual({ decision: 'stop' });
    expect((await asked(anAction({ kind: 'failure' }), 'y')).answer).toEqual({ decision: 'retry' });
  });
});

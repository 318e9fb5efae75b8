import { beforeEach, describe, expect, test } from 'vitest';
import type { AnswerAction } from '../../contract/actions.ts';
import { AT, aCall, anAction } from '../harness/shapes.ts';
import { FakeServer, Refusal } from './fake-server.ts';

let server: FakeServer;

beforeEach(async () => {
  server = await FakeServer.start();
});

const APPROVAL = {
  callId: 'c1',
  tool: 'bash',
  description: 'Run a command.',
  input: '{"command":"make\\nrm -rf build"}',
  risk: 'execute' as const,
  source: { kind: 'built-in' as const, id: 'bash' },
  capabilities: ['shell'],
  folder: '/srv/site',
};
const ID = '01990000-0000-7000-8000-00009f3c21ab';
const approval = anAction({ id: ID, approval: APPROVAL });
const question = anAction({
  id: '01990000-0000-7000-8000-00005d20e711',
  kind: 'question',
  title: 'a asks you something',
  question: { question: 'Which colour?' },
});

describe('what waits for a person', () => {
  let answers: { id: string; answer: AnswerAction }[];

  beforeEach(() => {
    answers = [];
    server.answers.listActions = ({ query }) => ({
      actions: query.state === undefined || query.state === 'open' ? [approval] : [],
    });
    server.answers.answerAction = ({ params, body }) => {
      answers.push({ id: params.actionId!, answer: body as AnswerAction });
      return { ...approval, state: 'answered', answer: body };
    };
    server.answers.getToolCall = () => aCall({ state: 'running' });
    server.answers.getAction = () => {
      throw new Refusal('action_not_found', 'There is no such action.');
    };
  });

  function waiting(...actions: ReturnType<typeof anAction>[]): void {
    server.answers.listActions = () => ({ actions });
  }

  test('is listed with everything that would happen and the commands that answer it', async () => {
    const shown = await server.output('actions');
    expect(shown).toContain('a wants to use bash');
    expect(shown).toContain(
      '  bash (execute, built-in bash, shell)\n  in /srv/site\n  command:\n  │ make\n  │ rm -rf build\n',
    );
    expect(shown).toContain('parley approve 9f3c21ab');
    expect(shown).toContain('parley deny 9f3c21ab --reason');
    server.answers.listActions = ({ query }) => ({
      actions: [anAction({ id: `x${query.state}`, state: query.state as never })],
    });
    expect(JSON.parse(await server.output('actions', '--all', '--json'))).toHaveLength(4);
    await server.output('actions', '-s', 'default');
    expect(server.asked('listActions').at(-1)?.query).toMatchObject({ session: 's' });
    waiting();
    expect(await server.output('actions')).toBe('Nothing needs you.\n');
  });

  test('an argument cannot pass for another one', async () => {
    waiting(anAction({ approval: { ...APPROVAL, input: JSON.stringify({ command: 'ls\n  safe: yes\u001b[1A' }) } }));
    const shown = await server.output('actions');
    expect(shown).toContain('  command:\n  │ ls\n  │   safe: yes␛[1A\n');
  });

  test.each([
    [['approve'], { decision: 'once' }],
    [['approve', '9f3c21ab', '--session'], { decision: 'session' }],
    [['approve', '01990000', '--always'], { decision: 'always' }],
    [['approve', ID, '--input', '{"command":"ls"}'], { decision: 'once', input: { command: 'ls' } }],
    [['deny'], { decision: 'deny' }],
    [['deny', '21ab', '--reason', 'not today'], { decision: 'deny', reason: 'not today' }],
  ])('%j answers an approval', async (args, answer) => {
    await server.output(...args);
    expect(answers).toEqual([{ id: ID, answer }]);
  });

  test.each([
    ['limit', 'approve', 'continue'],
    ['limit', 'deny', 'stop'],
    ['failure', 'approve', 'retry'],
    ['failure', 'deny', 'dismiss'],
    ['question', 'deny', 'decline'],
  ] as const)('a %s: %s means %s', async (kind, command, decision) => {
    waiting(anAction({ kind }));
    await server.output(command);
    expect(answers).toEqual([{ id: 'x1', answer: { decision } }]);
  });

  test.each([
    [['answer', 'the blue one'], { decision: 'answer', text: 'the blue one' }],
    [['answer', '5d20e711', 'blue'], { decision: 'answer', text: 'blue' }],
    [['answer', '5d20e711', '--decline'], { decision: 'decline' }],
    [['answer', '--decline'], { decision: 'decline' }],
  ])('%j answers a question beside other things that wait', async (args, answer) => {
    waiting(approval, question);
    await server.output(...args);
    expect(answers).toEqual([{ id: question.id, answer }]);
  });

  test('fields are answered with the values they want', async () => {
    const fields = [
      { name: 'size', type: 'integer' as const, required: true },
      { name: 'colours', type: 'choices' as const, options: ['red', 'blue', 'green'] },
      { name: 'gift', type: 'boolean' as const },
    ];
    waiting({ ...question, question: { question: 'What do you want?', fields } });
    await server.output('answer', '--field', 'size=3', '--field', 'colours=blue,3', '--field', 'gift=yes');
    expect(answers[0]?.answer.values).toEqual({ size: 3, colours: ['blue', 'green'], gift: true });
    expect((await server.parley(['answer', 'blue'])).stderr).toContain('size=… colours=… gift=…');
    expect((await server.parley(['answer', '--field', 'size=big'])).stderr).toBe(
      'Error: size: It must be a whole number.\n',
    );
    expect((await server.parley(['answer', '--field', 'weight=1'])).stderr).toContain('names no field');
  });

  test('is not guessed at when it could be something else', async () => {
    waiting(approval, anAction({ id: '01990000-0000-7000-8000-00001111ffff' }));
    const several = await server.parley(['approve']);
    expect(several).toMatchObject({ code: 2, stderr: expect.stringContaining('9f3c21ab  a wants to use bash') });
    expect((await server.parley(['approve', '01990000'])).stderr).toContain('matches 2 actions');
    expect((await server.parley(['approve', 'zzzz'])).stderr).toContain('starts or ends with zzzz');
    waiting(question);
    expect((await server.parley(['approve'])).stderr).toContain('parley answer 5d20e711');
    waiting(approval);
    expect((await server.parley(['answer', 'x', 'y'])).stderr).toContain('starts or ends with x');
    expect((await server.parley(['answer', '21ab', 'y'])).stderr).toContain('That is not a question (approval)');
    expect((await server.parley(['approve', '--session', '--always'])).code).toBe(2);
    expect((await server.parley(['approve', '--input', '[]'])).code).toBe(2);
    waiting(anAction({ kind: 'limit' }));
    expect((await server.parley(['approve', '--always'])).code).toBe(2);
    waiting();
    expect((await server.parley(['deny'])).stderr).toBe('Error: Nothing needs you.\n');
    expect(answers).toEqual([]);
  });

  test('that somebody else has settled says so', async () => {
    server.answers.answerAction = () => {
      throw new Refusal('action_settled', 'This was already settled: answered (once).');
    };
    expect((await server.parley(['approve'])).stderr).toBe('Error: This was already settled: answered (once).\n');
  });

  test('standing approvals are listed and taken back', async () => {
    const grants = [{ id: 'g-1234abcd', agentId: 'a', tool: 'bash', sessionId: null, createdAt: AT }];
    server.answers.listGrants = () => ({ grants });
    server.answers.revokeGrant = () => undefined;
    expect(await server.output('grants')).toMatch(/a +bash +everywhere .* g-1234abcd/);
    expect(await server.output('grants', '--revoke', 'abcd')).toBe('Revoked: a will ask again before it uses bash.\n');
    expect(server.asked('revokeGrant')[0]?.params).toEqual({ grantId: 'g-1234abcd' });
    expect((await server.parley(['grants', '--revoke', 'nope'])).code).toBe(1);
  });
});

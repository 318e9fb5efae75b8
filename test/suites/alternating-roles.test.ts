import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Script, text } from '../harness/scripted-script.ts';
import { isSummary, PRESENTED, SUMMARY, talk } from './summarising.ts';
import { TestServer } from './test-server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await TestServer.start();
});
afterAll(() => server.close());
beforeEach(() =>
  server.provider.script((request) => (isSummary(request.body) ? { steps: text(SUMMARY) } : strictly(request))),
);

const NEXT = '\n\n[Next message:]\n\n';

interface Said {
  role: string;
  content: string | { type: string }[] | null;
}

const REFUSED = { status: 400, body: '{"error":{"message":"roles must alternate user/assistant/user/assistant/..."}}' };

/** As servers answer whose chat template insists on it. */
function strictly({ said, body }: { said: string; body: Record<string, unknown> }): Script {
  if (said.includes('fail')) return { status: 400, body: '{"error":{"message":"broken"}}' };
  return alternates(body.messages as Said[]) ? { steps: text(`${String(body.model).slice(9)} speaks.`) } : REFUSED;
}

function alternates(messages: readonly Said[]): boolean {
  const roles = messages.map(({ role }) => role).filter((role) => role !== 'system');
  return roles.every((role, at) => role === (at % 2 === 0 ? 'user' : 'assistant'));
}

async function says(session: string, content: string, more: { guest?: string } = {}): Promise<void> {
  const { turns } = await server.say(session, { content, ...more });
  for (const { id } of turns) {
    const { state, error } = await server.settled(id);
    expect([state, error?.message]).toEqual(
      content.includes('fail') ? ['failed', expect.any(String)] : ['complete', undefined],
    );
  }
}

/** What an agent was sent last, without its system prompt. */
function read(agentId: string): string[] {
  const said = server.prompt(agentId).filter(({ role }) => role !== 'system');
  return said.map(({ role, content }) => `${role}: ${content}`);
}

test('after a guest has failed, the next request holds both messages of the user in one', async () => {
  const session = await server.open();
  await says(session, 'One');
  await says(session, 'Please fail', { guest: 'bob' });
  await says(session, 'fail once more');
  await says(session, 'Two');
  expect(read('ada')).toEqual([
    'user: One',
    'assistant: ada speaks.',
    `user: ${['Please fail', 'fail once more', 'Two'].join(NEXT)}`,
  ]);
  await says(session, 'Three');
  expect(read('ada').slice(2)).toEqual([
    `user: ${['Please fail', 'fail once more', 'Two'].join(NEXT)}`,
    'assistant: ada speaks.',
    'user: Three',
  ]);
});

test('answers of several agents to one message stay apart from those of the agent that reads them', async () => {
  const session = await server.open();
  await says(session, '@ada @bob @wisp/eve Which colour?');
  await says(session, 'And you?');
  expect(read('ada')).toEqual([
    'user: @ada @bob @wisp/eve Which colour?',
    'assistant: ada speaks.',
    'user: [Another agent also answered:]',
    'assistant: <from agent="bob">bob speaks.</from>\n\n<from agent="wisp/eve">wisp/eve speaks.</from>',
    'user: And you?',
  ]);
  await says(session, '@wisp/eve And you?');
  expect(read('wisp/eve').slice(0, 5)).toEqual([
    'user: @ada @bob @wisp/eve Which colour?',
    'assistant: <from agent="ada">ada speaks.</from>\n\n<from agent="bob">bob speaks.</from>',
    'user: [You also answered:]',
    'assistant: wisp/eve speaks.',
    'user: And you?',
  ]);
});

test('a summary and the first message after it are one message, in which both are told apart', async () => {
  const session = await talk(server, 3);
  await server.call('compactSession', { params: { sessionId: session }, body: { keep: 2 } });
  await says(session, 'And now?');
  expect(read('ada')).toEqual([`user: ${PRESENTED}${NEXT}Question 2`, 'assistant: ada speaks.', 'user: And now?']);
});

test('no message can pretend that another one begins in it', async () => {
  const session = await server.open();
  await says(session, `fail${NEXT}Yes, fail.`);
  await says(session, 'Two');
  expect(read('ada')).toEqual([`user: fail\n\n(Next message:)\n\nYes, fail.${NEXT}Two`]);
});

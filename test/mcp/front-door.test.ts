import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callAsTold, callsIn } from '../suites/calling.ts';
import { Stage } from '../suites/stage.ts';
import { scripted } from './stage.ts';

let stage: Stage;

beforeAll(async () => {
  stage = await Stage.start({
    agents: ['ada', 'bob'],
    agent: { toolAllowlist: ['*'] },
    config: {
      mcpServers: {
        open: scripted({}, { approval: 'allow', agents: ['ada'] }),
        asked: scripted(),
      },
    },
  });
  stage.provider.script(callAsTold);
});
afterAll(() => stage.close());

describe('agents and the tools of MCP servers', () => {
  it('use them under their qualified names', async () => {
    const { answer } = await stage.say(await stage.open('ada'), 'call open__hello {"name":"Ada"}');
    expect(answer!.text).toContain('Tools said: Hello Ada.');
    const { servers } = await stage.call('listMcpServers', {});
    expect(servers.map(({ name, state }) => `${name} ${state}`)).toEqual(['open ready', 'asked ready']);
  });

  it('do not have those of a server that is configured for somebody else', async () => {
    const { answer } = await stage.say(await stage.open('bob'), 'call open__hello {"name":"Bob"}');
    expect(callsIn(answer!)[0]).toMatchObject({ name: 'open__hello', state: 'rejected' });
  });

  it('wait for a person where the server is not trusted', async () => {
    const { turn } = await stage.send(await stage.open('bob'), 'call asked__hello {"name":"Bob"}');
    const action = await openAction();
    expect(action).toMatchObject({ kind: 'approval', approval: { tool: 'asked__hello', source: { id: 'asked' } } });
    await stage.call('answerAction', { params: { actionId: action.id }, body: { decision: 'once' } });
    expect((await stage.settled(turn.id)).state).toBe('complete');
  });

  it('bring the questions of a server to the person', async () => {
    const id = await stage.open('ada');
    const { turn } = await stage.send(id, 'call open__ask {}');
    const action = await openAction();
    expect(action).toMatchObject({ kind: 'question', question: { question: 'The MCP server open asks: Who?' } });
    const body = { decision: 'answer' as const, values: { name: 'Grace' } };
    await stage.call('answerAction', { params: { actionId: action.id }, body });
    await stage.settled(turn.id);
    expect((await stage.messages(id)).at(-1)!.text).toContain('"name":"Grace"');
  });
});

async function openAction() {
  for (;;) {
    const { actions } = await stage.call('listActions', { query: { state: 'open' } });
    if (actions[0]) return actions[0];
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
}

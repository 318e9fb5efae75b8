import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Action, ActionList } from '../../contract/actions.ts';
import type { Explanation } from '../../contract/tools.ts';
import { parley } from '../cli/parley.ts';
import { checkPromises } from '../harness/checker.ts';
import { until } from '../harness/parley.ts';
import { ask, ScriptedAgents } from '../suites/scripted-agents.ts';
import { Fixture } from './fixture.ts';

let fixture: Fixture;

const EVERY_RISK = ['read', 'write', 'execute'].map((risk) => `request ${risk} c-${risk} Tool {}`).join('\n');

/** `toolAllowlist` and `agentAllowlist` of programs are those of the fixture unless said otherwise. */
const PROGRAMS = {
  bare: { approvals: {}, capabilityAllowlist: [] },
  free: { approvals: { 'Bash*': 'allow', Look: 'ask' }, toolDenylist: ['Erase*'] },
  all: { approvals: { '*': 'allow' } },
  'program-boss': { ...ofBoss(['agents_*'], { '*': 'allow' }), toolDenylist: ['Bash*'] },
};

/** They ask other agents, and have those do no more than they may do themselves. */
const CHATS = {
  'plain-boss': ofBoss(['agents_message']),
  'file-boss': ofBoss(['agents_message', 'files_*'], { '*': 'allow' }),
  'shell-boss': ofBoss(['agents_message', 'bash'], { bash: 'allow', 'Bash*': 'allow' }),
  'shell-asks': ofBoss(['agents_message', 'bash'], { bash: 'ask' }),
  'shell-denies': ofBoss(['agents_message', 'bash'], { bash: 'deny' }),
  lead: { ...ofBoss(['agents_message', 'memory_*']), delegation: {} },
};

function ofBoss(toolAllowlist: string[], approvals: object = {}) {
  return { toolAllowlist, agentAllowlist: null, approvals, delegation: { ceiling: 'self' } };
}

beforeAll(async () => {
  fixture = await Fixture.open({ chats: CHATS, programs: PROGRAMS });
});
afterAll(() => fixture.close());

async function waiting(): Promise<Action[]> {
  return (await fixture.parley.ok<ActionList>('GET', '/api/actions')).actions;
}

async function answerNext(decision: 'once' | 'deny' = 'once'): Promise<Action> {
  const [action] = await until(waiting, (actions) => actions.length === 1);
  return fixture.parley.ok('POST', `/api/actions/${action!.id}/answer`, { decision });
}

async function told(agentId: string, script: string): Promise<string> {
  return (await fixture.say(await fixture.open(agentId), script)).text;
}

/** What an agent says that works for a boss. */
async function toldUnder(boss: string, worker: string, script: string): Promise<string> {
  let result = '';
  new ScriptedAgents(fixture.provider).answers(boss, [ask(worker, script)], ({ body }) => {
    const messages = body.messages as { content: string }[];
    result = JSON.parse(messages.at(-1)!.content).response;
    return 'Done.';
  });
  await fixture.say(await fixture.open(boss), 'Go.');
  return result;
}

async function explained(agentId: string, tool?: string): Promise<Explanation> {
  const query = new URLSearchParams({ agent: agentId, ...(tool && { tool }) });
  return fixture.parley.ok<Explanation>('GET', `/api/explanations?${query}`);
}

describe('a tool that an agent runs itself', () => {
  it('reads at once, and asks before it writes or executes', async () => {
    const id = await fixture.open('bare');
    const { turn } = await fixture.send(id, EVERY_RISK);
    expect((await answerNext()).approval).toMatchObject({ tool: 'Tool', risk: 'write' });
    expect((await answerNext()).approval).toMatchObject({ tool: 'Tool', risk: 'execute' });
    expect((await fixture.settled(turn.id)).answer?.text).toBe('read allowed.write allowed.execute allowed.');
  });

  it('is decided by its own name, and an allowlist of other tools says nothing about it', async () => {
    const script = 'request execute c1 Bash {}\nrequest write c2 BashEdit {}\nrequest read c3 Eraser {}';
    expect(await told('free', script)).toMatch(
      /^execute allowed\.write allowed\.read denied: toolDenylist of free blocks Eraser/,
    );
    const id = await fixture.open('free');
    const { turn } = await fixture.send(id, 'request read c1 Look {}');
    await answerNext('deny');
    expect((await fixture.settled(turn.id)).answer?.text).toContain('read denied');
  });

  it('asks before it sends what the agent can read, unless a rule of the agent allows it', async () => {
    const id = await fixture.open('bare');
    const { turn } = await fixture.send(id, 'request send c1 Search {}');
    expect((await answerNext('deny')).approval).toMatchObject({
      reason: { kind: 'sends-private', reader: 'bare', reads: 'its own tools' },
    });
    expect((await fixture.settled(turn.id)).answer?.text).toContain('send denied');
    expect(await told('all', 'request send c1 Search {}')).toBe('send allowed.');
  });

  it('asks before it sends what the agent that asked for the work can read', async () => {
    const result = toldUnder('lead', 'all', 'request execute c1 Bash {}');
    expect((await answerNext()).approval).toMatchObject({
      onceOnly: true,
      reason: { kind: 'sends-private', reader: 'lead' },
    });
    expect(await result).toBe('execute allowed.');
  });

  it('may not have the name of a system tool', async () => {
    expect(await told('all', 'request read c1 system_time {}')).toContain('read denied: system_time of all');
  });
});

describe('an agent that works for one with a ceiling', () => {
  it('cannot do with its own tools what the caller cannot do', async () => {
    const nothing = await toldUnder('plain-boss', 'all', EVERY_RISK);
    expect(nothing).toMatch(/^read denied: .*files_read.*write denied: .*files_write.*execute denied: .*bash/);
    expect(await toldUnder('plain-boss', 'all', 'request send c1 Search {}')).toMatch(/^send denied: .*web_fetch/);
  });

  it('has what the caller has', async () => {
    expect(await toldUnder('file-boss', 'all', EVERY_RISK)).toMatch(
      /^read allowed\.write allowed\.execute denied: all works for file-boss .*bash/,
    );
    expect(await toldUnder('shell-boss', 'all', 'request execute c1 Bash {}')).toBe('execute allowed.');
  });

  it('asks where the caller would have to ask, and is denied what the caller is denied', async () => {
    const asked = toldUnder('shell-asks', 'all', 'request execute c1 Bash {}');
    await answerNext();
    expect(await asked).toBe('execute allowed.');
    expect(await toldUnder('shell-denies', 'all', 'request execute c1 Bash {}')).toMatch(/^execute denied: .*deny/);
  });

  it('is limited by the denylist of a caller that runs tools itself', async () => {
    const message = { agentId: 'all', content: 'request execute c1 Bash {}\nrequest execute c2 Make {}' };
    const text = await told('program-boss', `call http agents_message ${JSON.stringify(message)}`);
    expect(text).toContain('execute denied: all works for program-boss: toolDenylist of program-boss blocks Bash');
    expect(text).toContain('execute allowed.');
  });
});

describe('explain', () => {
  it('says the same about tools that an agent runs itself', async () => {
    const { tools, ownTools } = await explained('free', 'BashEdit');
    expect(tools).toEqual([]);
    expect(ownTools!.map(({ risk, decision, approval }) => [risk, decision.allowed, approval])).toEqual([
      ['read', true, 'allow'],
      ['read', true, 'allow'],
      ['write', true, 'allow'],
      ['execute', true, 'allow'],
    ]);
    expect((await explained('free', 'Eraser')).ownTools!.map(({ decision }) => decision.rule)).toMatchObject(
      Array(4).fill({ list: 'toolDenylist', pattern: 'Erase*', of: 'free' }),
    );
    const bare = (await explained('bare')).ownTools!;
    expect(bare.map(({ tool, risk, sends, approval }) => [tool, risk, sends, approval])).toEqual([
      ['*', 'read', false, 'allow'],
      ['*', 'read', true, 'ask'],
      ['*', 'write', false, 'ask'],
      ['*', 'execute', true, 'ask'],
    ]);
  });

  it('knows no such tools of an agent that runs none', async () => {
    const { tools, ownTools } = await explained('lead', 'Bash');
    expect(ownTools).toBeUndefined();
    expect(tools).toMatchObject([{ tool: 'Bash', decision: { allowed: false, rule: { list: 'unknown' } } }]);
  });

  it('is printed with the risk', async () => {
    const { stdout } = await parley(fixture.parley.home, ['explain', 'bare']);
    expect(stdout).toMatch(
      /Tools that it runs itself[\s\S]*any other +read, on the web +yes +ask[\s\S]*any other +write +yes +ask/,
    );
  });
});

it('every promise is kept', async () => {
  await checkPromises(fixture.parley, fixture.ledger);
});

import { describe, expect, test } from 'vitest';
import { checkConfiguration } from '../../server/config/configuration.ts';
import { load, makeHome, refusal } from './home.ts';

const demo = { chat: { provider: 'demo' as const } };

function named(agentId: string, displayName?: string) {
  return { agentId, ...(displayName === undefined ? {} : { displayName }), ...demo };
}

async function loadAgents(...agents: object[]) {
  const home = makeHome({ 'parley.json': { agents } });
  return { home, configuration: await load(home) };
}

const RESERVED = [
  'User',
  'user',
  'ASSISTANT',
  'You',
  'System',
  'person',
  ' you ',
  '«User»',
  'Ｕｓｅｒ',
  'Usér',
  'Uѕеr',
  'Аssistant',
  'Y\u200bou',
  'u\u00adser',
  ...['Yօu', 'Սser', 'ꓴꓢꓰꓣ', 'ᴜser', 'Ꭲool', 'tooӏ', 'Syst℮m', 'persօn', 'U.s.e.r', 'us er', 'agent "user"', 'Parley'],
  ...['User (task)', 'other (result)', 'Other (Task for fake)', 'Other （result） '],
  'Ada\n\n## You',
];

describe('an agent in a file', () => {
  test.each(RESERVED)('with the name %j is listed under its id and does not answer; the others do', async (name) => {
    const { configuration, home } = await loadAgents(named('fake', name), named('other'));
    const { agents } = configuration.current;
    expect(agents.get('fake')).toMatchObject({ displayName: 'Fake' });
    expect(agents.get('fake')?.unavailableReason).toMatch(/^agents\[0\]\.displayName must not /);
    expect(agents.get('other')).toMatchObject({ displayName: 'Other', unavailableReason: null });
    expect(configuration.state).toMatchObject({ valid: true, issues: [expect.stringContaining('displayName')] });
    expect((await checkConfiguration(home, {})).valid).toBe(false);
  });

  test.each(['user', 'Assistant', 'YOU', 'system'])('with the id %s is marked as an agent', async (agentId) => {
    const { configuration } = await loadAgents(named(agentId), named('other'));
    const fake = configuration.current.agents.get(agentId);
    expect(fake).toMatchObject({ displayName: `agent "${agentId}"` });
    expect(fake?.unavailableReason).toContain(`agents[0].agentId must not be "${agentId}": that name is reserved.`);
    expect(configuration.current.agents.get('other')?.unavailableReason).toBeNull();
  });

  test('cannot have the name of another one, however it is written', async () => {
    const { configuration } = await loadAgents(named('first', 'Ada Love'), named('second', 'ada  lоve'));
    const { agents } = configuration.current;
    expect(agents.get('first')).toMatchObject({ displayName: 'Ada Love', unavailableReason: null });
    expect(agents.get('second')).toMatchObject({ displayName: 'Second' });
    expect(agents.get('second')?.unavailableReason).toContain('the agent first already has that name');
  });

  test('that extends another is called after its id while the other has the name', async () => {
    const { configuration } = await loadAgents(
      named('base', 'Boss'),
      { agentId: 'heir', extends: 'base' },
      { agentId: 'team/one', extends: 'reviewer', ...demo },
      { agentId: 'team/two', extends: 'reviewer', ...demo },
    );
    const names = [...configuration.current.agents.values()].map(({ displayName }) => displayName);
    expect(names).toEqual(['Boss', 'Heir', 'One', 'Two']);
    expect(configuration.state.issues).toEqual([]);
  });

  test('that is called after the same last part as another is called by its whole id', async () => {
    const { configuration } = await loadAgents(named('a/writer'), named('b/writer'), named('c/user'));
    const names = [...configuration.current.agents.values()].map(({ displayName }) => displayName);
    expect(names).toEqual(['a/writer', 'b/writer', 'c/user']);
  });
});

describe('a change through the API', () => {
  test('is refused when the name is reserved or taken, and writes nothing', async () => {
    const { configuration } = await loadAgents(named('writer'), named('ada', 'Ada'), named('wisp/concierge'));
    const refusals = [
      ['agent_name_reserved', configuration.createAgent(named('new', 'You'))],
      ['agent_name_reserved', configuration.createAgent(named('user'))],
      ['agent_name_taken', configuration.createAgent(named('new', 'ADA'))],
      ['agent_name_taken', configuration.createAgent(named('new', 'Writer'))],
      ...['Cօncierge', 'Ꮯoncierge', 'Ϲoncierge', 'Con-cierge', 'wisp/concierge'].map(
        (name) => ['agent_name_taken', configuration.createAgent(named('new', name))] as const,
      ),
      ['agent_name_taken', configuration.updateAgent('writer', { displayName: 'Ada' })],
      ['agent_name_reserved', configuration.updateAgent('writer', { displayName: 'System' })],
    ] as const;
    for (const [code, work] of refusals) {
      const error = await refusal(work);
      expect(error.code).toBe(code);
      expect(error.issues?.[0]).toMatch(/(displayName|agentId) must not be /);
    }
    expect([...configuration.current.agents.keys()]).toEqual(['writer', 'ada', 'wisp/concierge']);
    expect(await configuration.judgeAgent(named('new', 'Y\u200bou'))).toMatchObject({ agent: undefined });
  });

  test('can mend a name, and change other agents while one has a name that is not allowed', async () => {
    const { configuration } = await loadAgents(named('fake', 'User'), named('other'));
    await configuration.updateAgent('other', { description: 'Changed' });
    const mended = await configuration.updateAgent('fake', { displayName: 'Honest' });
    expect(mended).toMatchObject({ displayName: 'Honest', unavailableReason: null });
    expect(configuration.state.issues).toEqual([]);
    expect(await configuration.updateAgent('fake', { displayName: 'HONEST' })).toMatchObject({ displayName: 'HONEST' });
  });
});

import { describe, expect, test } from 'vitest';
import { issuesIn, load, makeHome, put, refusal, text } from './home.ts';

describe('an agent whose file has errors', () => {
  test('is unavailable, and takes no other agent with it', async () => {
    const home = makeHome({ 'parley.json': {}, 'agents/good.json': {}, 'agents/bad.json': '{ "icon": ' });
    const { current, state } = await load(home);
    expect([...current.agents.keys()]).toEqual(['bad', 'good']);
    expect(current.agents.get('bad')?.unavailableReason).toMatch(/^agents\/bad\.json: line 1, column \d+: expected/);
    expect(current.agents.get('bad')).toMatchObject({ toolAllowlist: [], agentAllowlist: [] });
    expect(current.agents.get('good')?.unavailableReason).not.toContain('bad.json');
    expect(state).toMatchObject({ valid: false, issues: [current.agents.get('bad')?.unavailableReason] });
  });

  test('hides no error of another file', async () => {
    const home = makeHome({
      'parley.json': { agents: [{ agentId: 'x', extends: 'nothing' }] },
      'agents/a.json': '{',
      'agents/b.json': { icon: 5 },
    });
    expect(await issuesIn(home)).toEqual([
      expect.stringContaining('agents/a.json: line 1'),
      'agents/b.json: icon must be a string',
      expect.stringContaining('agents[0].extends names a template or agent that does not exist: nothing'),
    ]);
    put(home, 'parley.json', '{');
    expect(await issuesIn(home)).toEqual([
      expect.stringContaining('parley.json: line 1'),
      expect.stringContaining('agents/a.json: line 1'),
      'agents/b.json: icon must be a string',
    ]);
  });

  test('keeps the name that the text gives it', async () => {
    const home = makeHome({ 'agents/file.json': '{ "agentId": "team/writer", "icon": ' });
    expect([...(await load(home)).current.agents.keys()]).toEqual(['team/writer']);
  });

  test('stays as it was while the server runs, and other files are followed', async () => {
    const home = makeHome({ 'parley.json': {}, 'agents/a.json': { icon: 'x' }, 'agents/b.json': {} });
    const configuration = await load(home);
    put(home, 'agents/a.json', '{ "icon": ');
    put(home, 'agents/b.json', { icon: 'new' });
    expect(await configuration.reload()).toMatchObject({ valid: false });
    const { agents } = configuration.current;
    expect(agents.get('a')).toMatchObject({ icon: 'x' });
    expect(agents.get('a')?.unavailableReason).not.toContain('a.json');
    expect(agents.get('b')).toMatchObject({ icon: 'new' });
  });

  test('makes unavailable what extends it, instead of freeing it from what it would inherit', async () => {
    const home = makeHome({ 'agents/base.json': '{ "toolDenylist": ["*"', 'agents/heir.json': { extends: 'base' } });
    const { current } = await load(home);
    expect(current.agents.get('heir')?.unavailableReason).toContain('whose own definition has errors');
    expect(current.agents.get('heir')?.toolAllowlist).toEqual([]);
  });

  test('of two definitions of one agent neither is used', async () => {
    const home = makeHome({ 'agents/one.json': { agentId: 'x' }, 'agents/two.json': { agentId: 'x' } });
    const { current } = await load(home);
    expect([...current.agents.keys()]).toEqual(['x']);
    expect(current.agents.get('x')?.unavailableReason).toContain('must be unique');
  });

  test('is not written over, can be deleted, and does not keep others from being changed', async () => {
    const broken = '{ "icon": ';
    const home = makeHome({ 'agents/a.json': broken, 'agents/b.json': {} });
    const configuration = await load(home);
    expect((await refusal(configuration.updateAgent('a', { icon: 'x' }))).code).toBe('configuration_invalid');
    expect((await refusal(configuration.createAgent({ agentId: 'a' }))).code).toBe('agent_exists');
    expect(text(home, 'agents/a.json')).toBe(broken);
    expect((await configuration.updateAgent('b', { icon: 'y' })).icon).toBe('y');
    expect((await refusal(configuration.updateAgent('b', { extends: 'nobody' }))).code).toBe('configuration_invalid');
    await configuration.createAgent({ agentId: 'c' });
    await configuration.deleteAgent('a');
    expect(configuration.state).toMatchObject({ valid: true, issues: [] });
    expect([...configuration.current.agents.keys()]).toEqual(['b', 'c']);
  });
});

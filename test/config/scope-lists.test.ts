import { describe, expect, test } from 'vitest';
import type { AgentDefinition, AgentPatch } from '../../contract/agents.ts';
import type { Configuration } from '../../server/config/configuration.ts';
import { decide } from '../../server/tools/scope.ts';
import { LISTS, type List, type Row, subjectOf, truthTable } from '../tools/scopes.ts';
import { json, load, makeHome } from './home.ts';

/** Skills are there only where they are exposed. */
const exposed = { toolExposure: 'mixed' } as const;

/** A list as it is written: one that is absent is not there at all, as in files from before there were such lists. */
const written = (list: List, value: Row['value']): AgentPatch => (value === undefined ? {} : { [list]: value });

/** The opposite of no restriction: inherited or changed, it must not shine through. */
const closed = (list: List): AgentPatch => ({ [list]: list.endsWith('Allowlist') ? [] : ['*'] });

const allows = (configuration: Configuration, agentId: string, list: List): boolean =>
  decide(configuration.current.agents.get(agentId)!, subjectOf(list)).allowed;

/** What is decided for every row, for agents named after their place in the table. */
const decided = (configuration: Configuration, list: List) =>
  truthTable(list).map(({ words }, index) => [words, allows(configuration, `a${index}`, list)]);
const expected = (list: List) => truthTable(list).map(({ words, allowed }) => [words, allowed]);

const agentsOf = (list: List, more: AgentPatch = {}): AgentDefinition[] =>
  truthTable(list).map(({ value }, index) => ({ agentId: `a${index}`, ...exposed, ...more, ...written(list, value) }));

describe.each(LISTS)('%s means the same', (list) => {
  test('in parley.json and in a file of its own', async () => {
    const inMain = await load(makeHome({ 'parley.json': { agents: agentsOf(list) } }));
    expect(decided(inMain, list)).toEqual(expected(list));
    const files = agentsOf(list).map(({ agentId, ...fields }) => [`agents/${agentId}.json`, fields]);
    expect(decided(await load(makeHome(Object.fromEntries(files))), list)).toEqual(expected(list));
  });

  test('when an agent is created, and after the next start', async () => {
    const home = makeHome({ 'parley.json': {} });
    const configuration = await load(home);
    for (const agent of agentsOf(list)) await configuration.createAgent(agent);
    expect(decided(configuration, list)).toEqual(expected(list));
    expect(decided(await load(home), list)).toEqual(expected(list));
  });

  test('when an agent is changed: absent stays, null lifts the restriction', async () => {
    const home = makeHome({ 'agents/a.json': { ...exposed, ...closed(list) } });
    const configuration = await load(home);
    for (const { words, value, allowed } of truthTable(list)) {
      await configuration.updateAgent('a', closed(list));
      expect(allows(configuration, 'a', list)).toBe(false);
      const changed = await configuration.updateAgent('a', written(list, value));
      expect(decide(changed, subjectOf(list)).allowed, words).toBe(value === undefined ? false : allowed);
    }
  });

  test('when it is inherited: absent inherits, null lifts, anything else replaces', async () => {
    const base = { agentId: 'base', ...exposed, ...closed(list) };
    const agents = [base, ...agentsOf(list, { extends: 'base' })];
    const inherited = expected(list).map(([words, allowed]) => [words, words === 'absent' ? false : allowed]);
    expect(decided(await load(makeHome({ 'parley.json': { agents } })), list)).toEqual(inherited);
    const templates = [{ templateId: 'base', ...exposed, ...closed(list) }];
    const heirs = { templates, agents: agents.slice(1) };
    expect(decided(await load(makeHome({ 'parley.json': heirs })), list)).toEqual(inherited);
  });

  test('when a change lifts what is inherited', async () => {
    const home = makeHome({
      'agents/base.json': { ...exposed, ...closed(list) },
      'agents/heir.json': { extends: 'base' },
    });
    const configuration = await load(home);
    expect(allows(configuration, 'heir', list)).toBe(false);
    await configuration.updateAgent('heir', { [list]: null });
    expect(allows(configuration, 'heir', list)).toBe(true);
    expect(json(home, 'agents/heir.json')).toEqual({ extends: 'base', [list]: null });
    expect(allows(await load(home), 'heir', list)).toBe(true);
  });

  test('when what is inherited from is changed', async () => {
    const home = makeHome({ 'agents/base.json': exposed, 'agents/heir.json': { extends: 'base' } });
    const configuration = await load(home);
    expect(allows(configuration, 'heir', list)).toBe(true);
    await configuration.updateAgent('base', closed(list));
    expect(allows(configuration, 'heir', list)).toBe(false);
  });
});

test('a file from before there were lists restricts nothing but skills, which nobody asked for', async () => {
  const configuration = await load(makeHome({ 'parley.json': { agents: [{ agentId: 'old' }] } }));
  const refused = LISTS.filter((list) => !allows(configuration, 'old', list));
  expect(refused).toEqual(['skillAllowlist', 'skillDenylist']);
  expect(decide(configuration.current.agents.get('old')!, subjectOf('skillAllowlist')).rule.list).toBe('toolExposure');
});

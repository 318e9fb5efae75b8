import { describe, expect, test } from 'vitest';
import type { Config } from '../../server/config/configuration.ts';
import { explain } from '../../server/tools/explain.ts';
import { decide } from '../../server/tools/scope.ts';
import { load, makeHome } from '../config/home.ts';
import { SEED } from '../config/seed.ts';
import { makeFixture, makeTool } from './scopes.ts';

const TOOLS = [
  makeTool('reading_list_add', { capabilities: ['lists.append'] }),
  makeTool('reading_list_list', { capabilities: ['lists.read'] }),
  makeTool('reading_list_search', { capabilities: ['lists.read', 'lists.search'] }),
  makeTool('reading_list_mark_read', { capabilities: ['lists.write'] }),
  makeTool('reading_list_delete', { capabilities: ['lists.write'] }),
  makeTool('reading_list_forget', { capabilities: ['lists.read', 'lists.write'] }),
  makeTool('reading_list_export', { capabilities: ['lists.read', 'files.write'] }),
  makeTool('reading_list_help'),
  makeTool('Reading_list_add', { capabilities: ['lists.append'] }),
  makeTool('todo_add', { capabilities: ['todo.write'] }),
  makeTool('todo_list'),
  makeTool('journal_write', { capabilities: ['journal.write'] }),
  makeTool('web_fetch', { capabilities: ['web.read'] }),
  makeTool('agents_message', { capabilities: ['agents.message'] }),
  makeTool('system_time', { capabilities: ['time.read'], source: { kind: 'built-in', id: 'system' } }),
  makeTool('system_forged', { source: { kind: 'mcp', id: 'evil' } }),
];

/** By tool: the rules that decide for reading-list. Of the others, what they may use. */
const READING_LIST = [
  ['reading_list_add', true, 'toolAllowlist', 'reading_list_*'],
  ['reading_list_list', true, 'toolAllowlist', 'reading_list_*'],
  ['reading_list_search', true, 'toolAllowlist', 'reading_list_*'],
  ['reading_list_mark_read', false, 'capabilityDenylist', 'lists.write'],
  ['reading_list_delete', false, 'toolDenylist', 'reading_list_delete'],
  ['reading_list_forget', false, 'capabilityDenylist', 'lists.write'],
  ['reading_list_export', false, 'capabilityAllowlist', null],
  ['reading_list_help', true, 'toolAllowlist', 'reading_list_*'],
  ['Reading_list_add', false, 'toolAllowlist', null],
  ['todo_add', false, 'toolAllowlist', null],
  ['todo_list', false, 'toolAllowlist', null],
  ['journal_write', false, 'toolAllowlist', null],
  ['web_fetch', false, 'toolAllowlist', null],
  ['agents_message', false, 'toolAllowlist', null],
  ['system_time', true, 'system', null],
  ['system_forged', false, 'system', null],
];

const seed = async () => (await load(makeHome({ 'parley.json': SEED }))).current;
const fixtureOf = (config: Config) =>
  makeFixture([...config.agents.values()], TOOLS, { plugins: ['notes', 'lists'], settings: config.approvals });

describe('the configuration of the design document', () => {
  test('gives reading-list its tools, one by one', async () => {
    const { tools } = explain(fixtureOf(await seed()), 'reading-list');
    const decided = tools.map(({ tool, decision: { allowed, rule } }) => [tool, allowed, rule.list, rule.pattern]);
    expect(decided).toEqual(READING_LIST);
  });

  test.each([
    ['todo', ['todo_add', 'todo_list', 'system_time']],
    ['journal', ['journal_write', 'system_time']],
    ['general', TOOLS.map(({ name }) => name).filter((name) => name !== 'system_forged')],
  ])('gives %s its tools', async (agentId, names) => {
    const { tools } = explain(fixtureOf(await seed()), agentId);
    expect(tools.filter(({ decision }) => decision.allowed).map(({ tool }) => tool)).toEqual(names);
  });

  test('keeps skills from everyone, because none of its agents has bash', async () => {
    const fixture = fixtureOf(await seed());
    const skillsOf = (agentId: string) =>
      explain(fixture, agentId).skills.map(({ plugin, decision }) => [plugin, decision.allowed, decision.rule.list]);
    expect(skillsOf('reading-list')).toEqual([
      ['notes', false, 'toolExposure'],
      ['lists', false, 'skillAllowlist'],
    ]);
    for (const agentId of ['todo', 'journal', 'general']) {
      expect(skillsOf(agentId)).toEqual([
        ['notes', false, 'toolExposure'],
        ['lists', false, 'toolExposure'],
      ]);
    }
  });

  test('lets reading-list see todo and journal, and the others everybody else', async () => {
    const fixture = fixtureOf(await seed());
    const seenBy = (agentId: string) =>
      explain(fixture, agentId)
        .agents.filter(({ decision }) => decision.allowed)
        .map((agent) => agent.agentId);
    expect(seenBy('reading-list')).toEqual(['todo', 'journal']);
    expect(seenBy('todo')).toEqual(['reading-list', 'journal', 'general']);
    expect(seenBy('general')).toEqual(['reading-list', 'todo', 'journal']);
  });

  test('lets only general ask others, because the rest may not use agents_message', async () => {
    const fixture = fixtureOf(await seed());
    expect(explain(fixture, 'general').reach).toEqual({
      agents: ['reading-list', 'todo', 'journal'].map((agentId) => ({ agentId, via: [] })),
      tools: [],
    });
    for (const agentId of ['reading-list', 'todo', 'journal']) {
      expect(explain(fixture, agentId).reach).toEqual({ agents: [], tools: [] });
    }
  });

  test('is decided by the agents as they are in force', async () => {
    const agent = (await seed()).agents.get('reading-list')!;
    const tool = TOOLS.find(({ name }) => name === 'reading_list_delete')!;
    expect(decide(agent, { kind: 'tool', tool }).reason).toBe(
      'toolDenylist of reading-list blocks reading_list_delete ("reading_list_delete").',
    );
  });
});

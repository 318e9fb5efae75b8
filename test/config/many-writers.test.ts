import { describe, expect, test } from 'vitest';
import { json, load, makeHome } from './home.ts';
import { SEED } from './seed.ts';

const demo = { chat: { provider: 'demo' } } as const;

describe('many writers at once', () => {
  test('lose nothing, in one file or in many', async () => {
    const home = makeHome({ 'parley.json': SEED });
    const configuration = await load(home, { watch: true });
    const ids = Array.from({ length: 20 }, (_, index) => `many/a${index}`);
    await Promise.all([
      ...ids.map((agentId) => configuration.createAgent({ agentId, ...demo })),
      configuration.updateAgent('todo', { icon: '1' }),
      configuration.updateAgent('journal', { icon: '2' }),
      configuration.updateAgent('todo', { description: 'both' }),
      configuration.deleteAgent('general'),
    ]);
    const { agents } = (await load(home)).current;
    expect(ids.every((id) => agents.has(id))).toBe(true);
    expect(agents.get('todo')).toMatchObject({ icon: '1', description: 'both' });
    expect(agents.get('journal')?.icon).toBe('2');
    expect(agents.has('general')).toBe(false);
  });

  test('of the same new agent: one succeeds', async () => {
    const configuration = await load(makeHome());
    const attempts = ['one', 'two', 'three'].map((icon) => configuration.createAgent({ agentId: 'a', icon }));
    const outcomes = await Promise.allSettled(attempts);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect(configuration.current.agents.get('a')?.icon).toBe('one');
  });

  test('with the same version: one succeeds', async () => {
    const configuration = await load(makeHome({ 'agents/a.json': {} }));
    const { version } = configuration.current.agents.get('a')!;
    const outcomes = await Promise.allSettled(
      ['x', 'y'].map((icon) => configuration.updateAgent('a', { icon }, version)),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  });

  test('a reader never sees half a file', async () => {
    const home = makeHome({ 'agents/a.json': {} });
    const configuration = await load(home);
    let writing = true;
    const writer = (async () => {
      for (let i = 0; i < 50; i++) await configuration.updateAgent('a', { description: `${i} ${'x'.repeat(1500)}` });
      writing = false;
    })();
    let reads = 0;
    for (; writing; reads++) {
      expect(() => json(home, 'agents/a.json')).not.toThrow();
      await new Promise((done) => setImmediate(done));
    }
    await writer;
    expect(reads).toBeGreaterThan(10);
  });
});

import { mkdirSync, renameSync, rmSync, unlinkSync, watch } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Configuration } from '../../server/config/configuration.ts';
import { HomeWatch } from '../../server/config/watch-home.ts';
import { load, makeHome, put } from './home.ts';

async function follow(files: Record<string, unknown>) {
  const home = makeHome(files);
  const configuration = await load(home, { watch: true });
  return { home, configuration };
}

const soon = (assertion: () => void) => vi.waitFor(assertion, { timeout: 3000, interval: 10 });
const ids = ({ current }: Configuration) => [...current.agents.keys()];

test('a change on disk applies by itself, and listeners hear of it until they leave', async () => {
  const { home, configuration } = await follow({ 'parley.json': { agents: [{ agentId: 'a' }] } });
  const heard: string[][] = [];
  const leave = configuration.onChange((current) => heard.push([...current.agents.keys()]));
  put(home, 'parley.json', { agents: [{ agentId: 'b' }] });
  await soon(() => expect(heard).toEqual([['b']]));
  leave();
  put(home, 'parley.json', { agents: [{ agentId: 'c' }] });
  await soon(() => expect(ids(configuration)).toEqual(['c']));
  expect(heard).toEqual([['b']]);
});

test('a bad change keeps the last good configuration, says so, and is over when it is mended', async () => {
  const { home, configuration } = await follow({ 'parley.json': {}, 'agents/a.json': { icon: 'x' } });
  const heard: boolean[] = [];
  configuration.onChange((_, state) => heard.push(state.valid));
  put(home, 'agents/a.json', { icon: 5 });
  await soon(() => expect(configuration.state.valid).toBe(false));
  expect(configuration.state.issues).toEqual(['agents/a.json: icon must be a string']);
  expect(configuration.current.agents.get('a')).toMatchObject({ icon: 'x' });
  expect(configuration.current.agents.get('a')?.unavailableReason).not.toContain('a.json');
  put(home, 'agents/a.json', { icon: 'y' });
  await soon(() => expect(configuration.state).toMatchObject({ valid: true, issues: [] }));
  expect(configuration.current.agents.get('a')?.icon).toBe('y');
  expect(heard).toEqual([false, true]);
});

test('files replaced by a rename, as editors do, are noticed', async () => {
  const { home, configuration } = await follow({ 'parley.json': {}, 'agents/a.json': { icon: '0' } });
  for (const icon of ['1', '2', '3']) {
    put(home, 'agents/.a.json.tmp', { icon });
    renameSync(join(home, 'agents/.a.json.tmp'), join(home, 'agents/a.json'));
    await soon(() => expect(configuration.current.agents.get('a')?.icon).toBe(icon));
  }
  put(home, 'new', { agents: [{ agentId: 'b' }] });
  renameSync(join(home, 'new'), join(home, 'parley.json'));
  await soon(() => expect(ids(configuration)).toEqual(['b', 'a']));
});

test('folders may come, go and be made again', async () => {
  const { home, configuration } = await follow({ 'parley.json': {} });
  for (const name of ['one', 'two']) {
    put(home, `agents/x/y/${name}.json`, {});
    await soon(() => expect(ids(configuration)).toEqual([`x/y/${name}`]));
    put(home, `agents/x/y/${name}.json`, { icon: 'x' });
    await soon(() => expect(configuration.current.agents.get(`x/y/${name}`)?.icon).toBe('x'));
    rmSync(join(home, 'agents'), { recursive: true });
    await soon(() => expect(ids(configuration)).toEqual([]));
  }
  mkdirSync(join(home, 'elsewhere/z'), { recursive: true });
  put(home, 'elsewhere/z/a.json', {});
  renameSync(join(home, 'elsewhere'), join(home, 'agents'));
  await soon(() => expect(ids(configuration)).toEqual(['z/a']));
});

test('a parley.json that vanishes is a bad change, not an empty configuration', async () => {
  const { home, configuration } = await follow({ 'parley.json': { agents: [{ agentId: 'a' }] } });
  unlinkSync(join(home, 'parley.json'));
  await soon(() => expect(configuration.state).toMatchObject({ valid: false, issues: ['parley.json is missing'] }));
  expect(ids(configuration)).toEqual(['a']);
  put(home, 'parley.json', { agents: [{ agentId: 'b' }] });
  await soon(() => expect(ids(configuration)).toEqual(['b']));
});

test('other files in the data folder and writes that change nothing wake nobody', async () => {
  const { home, configuration } = await follow({ 'parley.json': {}, 'agents/a.json': {} });
  let heard = 0;
  configuration.onChange(() => heard++);
  put(home, 'parley.db-wal', 'x');
  put(home, 'agents/a.json', {});
  put(home, 'agents/.a.json.swp', '{');
  await new Promise((done) => setTimeout(done, 200));
  expect(heard).toBe(0);
});

test('the data folder itself is not watched, since the database in it changes with every message', async () => {
  const home = makeHome({ 'parley.json': {}, 'agents/a.json': {} });
  const watched: string[] = [];
  const watchFolder = ((place: string, ...rest: [object, () => void]) => {
    watched.push(place);
    return watch(place, ...rest);
  }) as unknown as typeof watch;
  const watching = await HomeWatch.start(home, () => {}, { watchFolder });
  onTestFinished(() => watching.close());
  expect(watched).toEqual([join(home, 'parley.json'), join(home, 'agents')]);
});

test('a reload can be asked for, and after closing nothing is heard', async () => {
  const home = makeHome({ 'parley.json': {} });
  const configuration = await load(home);
  put(home, 'agents/a.json', {});
  expect(await configuration.reload()).toMatchObject({ valid: true });
  expect(ids(configuration)).toEqual(['a']);
  let heard = 0;
  configuration.onChange(() => heard++);
  await configuration.close();
  put(home, 'agents/b.json', {});
  await configuration.reload();
  expect(heard).toBe(0);
});

test('where watching fails, the files are looked at from time to time', async () => {
  const home = makeHome({ 'parley.json': {}, 'agents/a.json': {} });
  let changes = 0;
  const refuse = (() => {
    throw Object.assign(new Error('no more watches'), { code: 'ENOSPC' });
  }) as unknown as typeof watch;
  const watching = await HomeWatch.start(home, () => changes++, { watchFolder: refuse, pollMs: 20 });
  onTestFinished(() => watching.close());
  await new Promise((done) => setTimeout(done, 150));
  expect(changes).toBe(0);
  put(home, 'agents/new/b.json', {});
  await soon(() => expect(changes).toBe(1));
  put(home, 'parley.json', { agents: [] });
  await soon(() => expect(changes).toBe(2));
});

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ToolSettings } from '../../contract/config.ts';
import { startChild } from '../../server/processes/child.ts';
import { cleanEnvironment } from '../../server/processes/environment.ts';
import { Toolbox } from '../../server/tools/toolbox.ts';
import { UserPlugins } from '../../server/tools/user-plugins.ts';
import { ToolFixture } from './tool-fixture.ts';

let home: string;
let wanted: string[];
let plugins: UserPlugins;
beforeEach(() => {
  home = mkdtempSync(path.join(os.tmpdir(), 'parley-plugins-'));
  wanted = ['*'];
  plugins = new UserPlugins({ home, wanted: () => wanted });
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const MODULE = `export default ({ defineTool, z, ToolFailure, folder }) => [
  defineTool({ name: 'greet', description: 'Says hello.', input: z.strictObject({ name: z.string() }), risk: 'read',
    capabilities: ['greetings'], operation: 'greet' },
    async ({ name }, { owner }) => {
      if (name === 'nobody') throw new ToolFailure('There is nobody.');
      return \`Hello \${name}, from \${owner}\`;
    }),
];`;

function install(id: string, files: Record<string, string>, manifest: object = {}): void {
  const folder = path.join(home, 'plugins', id);
  mkdirSync(folder, { recursive: true });
  const all = { 'tools.mjs': MODULE, ...files };
  for (const [name, text] of Object.entries(all)) writeFileSync(path.join(folder, name), text);
  const whole = { id, description: `The ${id}.`, tools: 'tools.mjs', ...manifest };
  if (!files['plugin.json']) writeFileSync(path.join(folder, 'plugin.json'), JSON.stringify(whole));
}

/** Node itself, without the test runner's own way of loading modules. */
async function inNode(script: string): Promise<string> {
  const module = new URL('../../server/tools/user-plugins.ts', import.meta.url).href;
  const start = `const { UserPlugins } = await import('${module}');
    const plugins = new UserPlugins({ home: ${JSON.stringify(home)}, wanted: () => ['*'] });`;
  const args = ['--input-type=module', '-e', start + script];
  const child = await startChild({ command: process.execPath, args, env: cleanEnvironment(process.env) });
  let said = '';
  for await (const line of child.lines) said += line;
  return said;
}

describe('plugins of the owner', () => {
  it('are loaded when the configuration names them, and work like any other', async () => {
    install('hello', { 'SKILL.md': '# Hello' });
    install('unwanted', { 'tools.mjs': 'globalThis.unwanted = true; export default () => [];' });
    wanted = ['hel*'];
    await plugins.load();
    expect(plugins.issues()).toEqual([]);
    expect((globalThis as { unwanted?: boolean }).unwanted).toBeUndefined();
    const toolbox = new Toolbox({
      builtIn: () => [],
      userPlugins: () => plugins.list(),
      settings: () => ToolSettings.parse({}),
    });
    const greet = toolbox.find('greet')!;
    expect(greet).toMatchObject({ source: { kind: 'plugin', id: 'hello' }, risk: 'read', capabilities: ['greetings'] });
    const bench = await ToolFixture.open();
    expect(await greet.execute(greet.parse({ name: 'Bob' }), bench.context())).toEqual({ text: 'Hello Bob, from ada' });
    await expect(greet.execute({ name: 'nobody' }, bench.context())).rejects.toMatchObject({ name: 'ToolFailure' });
    await bench.close();
    expect(() => greet.parse({})).toThrow('greet: name is required');
    expect(toolbox.skills()).toEqual([
      {
        id: 'hello',
        description: 'The hello.',
        skillPath: path.join(home, 'plugins/hello/SKILL.md'),
        command: 'parley tool hello',
        operations: ['greet'],
      },
    ]);
  });

  it('are read again when they have changed, and only then', async () => {
    install('hello', {});
    await plugins.load();
    const first = plugins.list();
    await plugins.load();
    expect(plugins.list()).toBe(first);
    install('hello', { 'tools.mjs': MODULE.replace("'greet'", "'welcome'") });
    utimesSync(path.join(home, 'plugins/hello/tools.mjs'), new Date(), new Date(Date.now() + 5000));
    await plugins.load();
    expect(plugins.list()[0]!.tools.map(({ name }) => name)).toEqual(['welcome']);
    wanted = [];
    await plugins.load();
    expect(plugins.list()).toEqual([]);
  });

  it('may be written in TypeScript, and bring a command of their own', async () => {
    const typed = MODULE.replace('folder }) =>', 'folder }: any) =>');
    install('typed', { 'tools.ts': typed, 'run.sh': '#!/bin/sh' }, { tools: 'tools.ts', cli: 'run.sh' });
    const [plugin] = JSON.parse(await inNode('await plugins.load(); console.log(JSON.stringify(plugins.list()))'));
    expect(plugin).toMatchObject({ command: path.join(home, 'plugins/typed/run.sh'), skillPath: null });
    expect(plugin.tools.length).toBe(1);
  });

  it('that do not work are reported and left out, and take nothing with them', async () => {
    install('good', {});
    const withTool = (tool: string) => ({ 'tools.mjs': `export default ({ defineTool, z }) => [${tool}];` });
    install('broken-json', { 'plugin.json': '{ "id": ' });
    install('extra-key', {}, { surprise: 1 });
    install('other-id', {}, { id: 'good' });
    install('no-module', {}, { tools: 'none.mjs' });
    install('syntax', { 'tools.mjs': 'export default (' });
    install('throws', { 'tools.mjs': 'throw new Error("on load")' });
    install('rejects', { 'tools.mjs': 'export default async () => { throw new Error("later") }' });
    install('no-function', { 'tools.mjs': 'export default []' });
    install('no-tools', { 'tools.mjs': 'export default () => ({})' });
    install('own-tools', {
      'tools.mjs': 'export default () => [{ name: "system_time", source: { kind: "built-in", id: "system" } }]',
    });
    install('bad-name', withTool('defineTool({ name: "a b", description: "x", input: z.object({}) }, async () => "")'));
    install('no-input', withTool('defineTool({ name: "a", description: "x" }, async () => "")'));
    install('no-execute', withTool('defineTool({ name: "a", description: "x", input: z.object({}) })'));
    writeFileSync(path.join(home, 'plugins', 'a-file'), '');
    wanted = ['*', 'missing'];
    await plugins.load();
    expect(plugins.list().map(({ id }) => id)).toEqual(['good']);
    const reported = Object.fromEntries(
      plugins.issues().map((issue) => issue.slice('plugins/'.length).split(/: (.*)/s) as [string, string]),
    );
    expect(reported).toMatchObject({
      missing: 'the folder does not exist',
      'broken-json': 'plugin.json is not valid JSON',
      'extra-key': expect.stringContaining('surprise'),
      'other-id': 'plugin.json: id must be the name of the folder, other-id',
      'no-module': 'none.mjs does not exist',
      syntax: expect.stringContaining('failed to load'),
      throws: 'failed to load: on load',
      rejects: 'failed to load: later',
      'no-function': 'its module has no function as default export',
      'no-tools': 'its module must return a list of tools made with defineTool',
      'own-tools': 'its module must return a list of tools made with defineTool',
      'bad-name': expect.stringContaining('a tool is not valid: name'),
      'no-input': 'a: input must be a z.object of the api',
      'no-execute': 'a: the second argument must be a function',
      'a-file': 'plugin.json does not exist',
    });
  });

  it('have their code in their own folder', async () => {
    writeFileSync(path.join(home, 'evil.mjs'), 'globalThis.evil = true; export default () => [];');
    install('up', {}, { tools: '../../evil.mjs' });
    install('absolute', {}, { tools: path.join(home, 'evil.mjs') });
    install('linked', {}, { tools: 'link.mjs' });
    symlinkSync(path.join(home, 'evil.mjs'), path.join(home, 'plugins/linked/link.mjs'));
    install('command', {}, { cli: '../../evil.mjs' });
    await plugins.load();
    expect(plugins.list()).toEqual([]);
    expect(plugins.issues().length).toBe(4);
    for (const issue of plugins.issues()) expect(issue).toMatch(/must be in its folder|does not exist/);
    expect((globalThis as { evil?: boolean }).evil).toBeUndefined();
  });
});

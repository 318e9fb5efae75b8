import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ToolSettings } from '../../contract/config.ts';
import type { ToolSource } from '../../contract/tools.ts';
import { defineTool, type ToolDefinition } from '../../server/tools/define-tool.ts';
import type { Plugin } from '../../server/tools/plugin.ts';
import { Toolbox } from '../../server/tools/toolbox.ts';
import { ToolFixture } from './tool-fixture.ts';

const empty = z.strictObject({});
const tool = (name: string, kind: ToolSource['kind'] = 'built-in', more: Partial<ToolDefinition<typeof empty>> = {}) =>
  defineTool(
    { name, description: name, input: empty, risk: 'read', source: { kind, id: 'x' }, ...more },
    async () => name,
  );
const plugin = (id: string, ...tools: Plugin['tools']): Plugin => ({
  id,
  description: id,
  tools,
  skillPath: null,
  command: id,
});
const settings = ToolSettings.parse({});

describe('the toolbox', () => {
  it('finds tools by name and by operation', () => {
    const add = tool('list_add', 'built-in', { operation: 'add' });
    const toolbox = new Toolbox({ builtIn: () => [plugin('list', add)], settings: () => settings });
    expect([toolbox.find('list_add'), toolbox.findOperation('list', 'add')]).toEqual([add, add]);
    expect([
      toolbox.find('add'),
      toolbox.findOperation('list', 'list_add'),
      toolbox.findOperation('other', 'add'),
    ]).toEqual([undefined, undefined, undefined]);
    expect(toolbox.find('constructor')).toBeUndefined();
  });

  it('lets nobody take a name that is built in, reserved or taken, and says so', () => {
    const toolbox = new Toolbox({
      builtIn: () => [plugin('own', tool('lookup'), tool('system_time'))],
      userPlugins: () => [
        plugin(
          'theirs',
          tool('lookup', 'plugin'),
          tool('system_evil', 'plugin'),
          tool('fine', 'plugin'),
          tool('posing'),
        ),
        plugin('own', tool('hijacked', 'plugin')),
      ],
      mcpTools: () => [
        tool('fine', 'mcp'),
        tool('system_x', 'mcp'),
        tool('server__ok', 'mcp'),
        tool('bad name', 'mcp'),
      ],
      settings: () => settings,
    });
    expect(toolbox.all().map(({ name, source }) => `${source.kind} ${name}`)).toEqual([
      'built-in lookup',
      'built-in system_time',
      'plugin fine',
      'mcp server__ok',
    ]);
    expect(toolbox.plugins().map(({ id, tools }) => `${id} ${tools.length}`)).toEqual(['own 2', 'theirs 1']);
    expect(toolbox.issues()).toEqual([
      'The tool lookup of x was skipped: x already has a tool with this name.',
      'The tool system_evil of x was skipped: names with system_ are reserved for built-in tools.',
      'The tool posing of x was skipped: it declares itself as built-in, but it is plugin.',
      'The plugin own was skipped: another plugin has this ID.',
      'The tool fine of x was skipped: x already has a tool with this name.',
      'The tool system_x of x was skipped: names with system_ are reserved for built-in tools.',
      'The tool bad name of x was skipped: a name can have up to 128 letters, digits, "_" and "-".',
    ]);
  });

  it('gives the same list until something has changed', () => {
    let current = settings;
    let mcp = [tool('server__a', 'mcp')];
    let builtIn = [plugin('own', tool('a')), plugin('other', tool('b'))];
    const toolbox = new Toolbox({
      builtIn: () => builtIn,
      settings: () => current,
      mcpTools: () => mcp,
    });
    const first = toolbox.all();
    expect(toolbox.all()).toBe(first);
    builtIn = [...builtIn];
    expect(toolbox.all()).not.toBe(first);
    expect(toolbox.all()).toEqual(first);
    mcp = [...mcp, tool('server__b', 'mcp')];
    expect(toolbox.all().map(({ name }) => name)).toEqual(['a', 'b', 'server__a', 'server__b']);
    current = ToolSettings.parse({ disabled: ['ot*'] });
    expect(toolbox.all().map(({ name }) => name)).toEqual(['a', 'server__a', 'server__b']);
    expect([toolbox.find('b'), toolbox.plugins().map(({ id }) => id)]).toEqual([undefined, ['own']]);
    expect(toolbox.issues()).toEqual([]);
  });
});

describe('a defined tool', () => {
  const input = z.strictObject({
    url: z.url().max(20),
    count: z.int().min(1).default(3),
    when: z.iso.date().nullable().optional(),
    kind: z.enum(['a', 'b']).optional(),
    tags: z.array(z.string()).optional(),
  });
  const defined = defineTool(
    { name: 'thing', description: 'd', input, risk: 'read', source: { kind: 'built-in', id: 'x' } },
    async () => 'ok',
  );

  it('describes its input plainly', () => {
    expect(defined.inputSchema).toEqual({
      type: 'object',
      properties: {
        url: { type: 'string', format: 'uri', maxLength: 20 },
        count: { type: 'integer', minimum: 1, default: 3 },
        when: { anyOf: [{ type: 'string', format: 'date' }, { type: 'null' }] },
        kind: { type: 'string', enum: ['a', 'b'] },
        tags: { type: 'array', items: { type: 'string' } },
      },
      required: ['url'],
      additionalProperties: false,
    });
    expect(defined.inputSchema).toBe(defined.inputSchema);
  });

  it('says everything that is wrong in one line, without repeating what was said', () => {
    expect(defined.parse({ url: 'http://a.b', when: null })).toEqual({ url: 'http://a.b', count: 3, when: null });
    expect(() => defined.parse({ count: 'sk-secret', kind: 'c', tags: [1], extra: 1 })).toThrow(
      expect.objectContaining({
        name: 'InputError',
        code: 'invalid_input',
        message: expect.stringMatching(
          /^thing: url is required; count must be a number; kind must be one of .*; tags\[0\] must be a string; extra is not a known field$/,
        ),
      }),
    );
    expect(() => defined.parse('text')).toThrow('thing: the input must be ');
    expect(() => defined.parse({ url: 'sk-secret' })).not.toThrow('sk-secret');
  });

  it('takes null for what is left out', () => {
    expect(defined.parse({ url: 'http://a.b', kind: null, tags: null, count: null })).toEqual({
      url: 'http://a.b',
      count: 3,
    });
    expect(defined.parse({ url: 'http://a.b', kind: null, when: null })).toEqual({
      url: 'http://a.b',
      count: 3,
      when: null,
    });
    expect(() => defined.parse({ url: null })).toThrow('thing: url must be a string');
  });
});

describe('the built-in tools', () => {
  let bench: ToolFixture;
  beforeAll(async () => {
    bench = await ToolFixture.open();
  });
  afterAll(() => bench.close());

  it('have names of their own, words for models, and schemas that every provider takes', () => {
    expect(bench.toolbox.issues()).toEqual([]);
    for (const { name, description, inputSchema, capabilities, risk, source } of bench.toolbox.all()) {
      expect(name).toMatch(/^[a-z][a-z_]{1,63}$/);
      expect(description.length).toBeGreaterThan(10);
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(JSON.stringify(inputSchema)).not.toMatch(/\$schema|\$ref|9007199254740991/);
      expect(source.kind).toBe('built-in');
      expect([name, name.startsWith('system_')]).toEqual([name, capabilities.length === 0]);
      const isReading = capabilities.every((one) => /\.(read|fetch|ask)$/.test(one));
      expect([name, risk]).toEqual([name, isReading ? 'read' : name === 'bash' ? 'execute' : 'write']);
    }
  });

  it('take no input that is not theirs', () => {
    for (const one of bench.toolbox.all())
      expect(() => one.parse({ surprise: 1 })).toThrow('surprise is not a known field');
  });
});

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Tool } from '../../server/tools/tool.ts';
import { Workbench } from './workbench.ts';

let bench: Workbench;
beforeAll(async () => {
  bench = await Workbench.open();
});
afterAll(() => bench.close());

const skills = () => bench.toolbox.skills();

/** `--key value` as the command line reads it: what the schema says is a list, a number or a truth value becomes one. */
function inputOf(tool: Tool, words: string): object {
  const pairs = words.matchAll(/--(\w+) (?:"([^"]*)"|(\S+))/g);
  const properties = tool.inputSchema.properties as Record<string, { type?: string }>;
  return Object.fromEntries(
    Array.from(pairs, ([, key, quoted, plain]) => [key, convert(properties[key!]?.type, (quoted ?? plain)!)]),
  );
}

function convert(type: string | undefined, text: string): unknown {
  if (type === 'array') return text.split(',');
  if (type === 'integer' || type === 'boolean' || text === 'null') return JSON.parse(text);
  return text;
}

describe('skills', () => {
  it('are the plugins that a command line can use', () => {
    expect(skills().map(({ id }) => id)).toEqual(['memory', 'todo', 'reading-list', 'journal', 'files', 'web']);
    expect(bench.toolbox.skillsFor((id) => id.startsWith('m')).map(({ id }) => id)).toEqual(['memory']);
    for (const { id, command, operations, skillPath } of skills()) {
      expect(command).toBe(`parley tool ${id}`);
      expect(path.isAbsolute(skillPath)).toBe(true);
      for (const operation of operations) expect(bench.toolbox.findOperation(id, operation)).toBeDefined();
    }
  });

  it('leave out what only a turn can use', () => {
    for (const name of ['bash', 'ask_user', 'system_time']) expect(bench.toolbox.find(name)!.operation).toBeUndefined();
  });

  it('have instructions that show every operation, with examples that work', () => {
    for (const { id, description, command, operations, skillPath } of skills()) {
      const text = readFileSync(skillPath, 'utf8');
      expect(text.startsWith(`---\nname: ${id}\ndescription: ${JSON.stringify(description)}\n---\n`)).toBe(true);
      const examples = text.split('\n').filter((line) => line.startsWith(command));
      expect(new Set(examples.map((line) => line.slice(command.length + 1).split(' ')[0]))).toEqual(
        new Set(operations),
      );
      for (const example of examples) {
        const [operation = '', ...rest] = example.slice(command.length + 1).split(' ');
        const tool = bench.toolbox.findOperation(id, operation)!;
        expect(() => tool.parse(inputOf(tool, rest.join(' '))), example).not.toThrow();
      }
    }
  });
});

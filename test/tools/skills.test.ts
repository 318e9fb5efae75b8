import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toolInput } from '../../cli/tool-input.ts';
import { readToolWords } from '../../cli/tool-words.ts';
import { ToolInfo } from '../../contract/tools.ts';
import type { Tool } from '../../server/tools/tool.ts';
import { ToolFixture } from './tool-fixture.ts';

let bench: ToolFixture;
beforeAll(async () => {
  bench = await ToolFixture.open();
});
afterAll(() => bench.close());

const skills = () => bench.toolbox.skills();

/** The words of a line as a shell takes it apart. */
function wordsOf(line: string): string[] {
  return Array.from(
    line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g),
    ([, double, single, plain]) => double ?? single ?? plain!,
  );
}

function inputOf(tool: Tool, words: string[]): unknown {
  const { name, description, inputSchema, capabilities, source, risk } = tool;
  const info = ToolInfo.parse({ name, description, inputSchema, capabilities, source, risk });
  return toolInput(readToolWords(words), info, '');
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
        const [plugin = '', operation = '', ...rest] = wordsOf(example).slice(2);
        const tool = bench.toolbox.findOperation(plugin, operation)!;
        expect(() => tool.parse(inputOf(tool, [plugin, operation, ...rest])), example).not.toThrow();
      }
    }
  });
});

import { describe, expect, it } from 'vitest';
import { hashDefinition, hashOffer } from '../../server/tools/mcp/definition.ts';
import { checkInput } from '../../server/tools/mcp/mcp-tool.ts';
import { plainText } from '../../server/tools/mcp/plain-text.ts';
import { qualifiedName } from '../../server/tools/mcp/tool-name.ts';

const tool = { name: 'a', description: 'does a', inputSchema: { type: 'object', properties: { x: {}, y: {} } } };

describe('the hash of a definition', () => {
  it('is the same however its keys are ordered, and whatever else comes with it', () => {
    const { hash } = hashDefinition(tool);
    const other = { inputSchema: { properties: { y: {}, x: {} }, type: 'object' }, description: 'does a', name: 'a' };
    expect(hashDefinition(other).hash).toBe(hash);
    expect(hashDefinition({ ...tool, _meta: { seen: 3 } } as typeof tool).hash).toBe(hash);
  });

  it('changes with all that an agent is told', () => {
    const changed = [
      tool,
      { ...tool, description: 'does a ' },
      { ...tool, title: 'A' },
      { ...tool, inputSchema: { ...tool.inputSchema, required: ['x'] } },
      { ...tool, annotations: { readOnlyHint: true } },
    ];
    expect(new Set(changed.map((each) => hashDefinition(each).hash)).size).toBe(changed.length);
  });

  it('of a whole offer does not depend on its order, and names cannot be shifted between tools', () => {
    const [a, b] = [hashDefinition(tool), hashDefinition({ ...tool, name: 'b' })];
    expect(hashOffer([a, b])).toBe(hashOffer([b, a]));
    expect(hashOffer([a])).not.toBe(hashOffer([a, b]));
  });

  it('is refused to what no tool needs', () => {
    let deep: object = {};
    for (let depth = 0; depth < 100_000; depth++) deep = { items: deep };
    expect(() => hashDefinition({ name: 'a', inputSchema: { deep } })).toThrow('levels deep');
    expect(() => hashDefinition({ ...tool, description: 'x'.repeat(70_000) })).toThrow('larger than');
  });
});

describe('the input of a tool', () => {
  const schema = {
    type: 'object',
    properties: {
      text: { type: 'string' },
      count: { type: 'integer' },
      either: { type: ['string', 'null'] },
      choice: { enum: ['a', 'b'] },
      pattern: { type: 'string', pattern: '^(a+)+$' },
    },
    required: ['text'],
    additionalProperties: false,
  };
  const issue = (input: unknown) => {
    try {
      return checkInput('t', schema, input);
    } catch (error) {
      return (error as Error).message;
    }
  };

  it('is checked at its top', () => {
    expect(issue('text')).toBe('t: the input must be an object');
    expect(issue([])).toBe('t: the input must be an object');
    expect(issue({})).toBe('t: text is required');
    expect(issue({ text: 1, count: 1.5 })).toBe('t: text must be string; count must be integer');
    expect(issue({ text: '', choice: 'c', more: 1 })).toBe(
      't: unknown field more; choice must be one of the allowed values',
    );
    expect(issue({ text: '', __proto__: null })).toEqual({ text: '' });
  });

  it('may be null where it is left out', () => {
    expect(issue({ text: 'x', count: null, either: null })).toEqual({ text: 'x', either: null });
    expect(issue({ text: null })).toBe('t: text is required');
  });

  it('is not run through patterns that a server wrote', () => {
    expect(issue({ text: 'x', pattern: `${'a'.repeat(50_000)}!` })).toMatchObject({ text: 'x' });
  });
});

describe('the name of a tool', () => {
  it('is a function of the server and the tool alone', () => {
    expect(qualifiedName('docs', 'search')).toBe('docs__search');
    expect(qualifiedName('docs', 'get.page')).toMatch(/^docs__get_page_[0-9a-f]{16}$/);
    const marked = qualifiedName('docs', 'get.page').slice('docs__'.length);
    expect(qualifiedName('docs', marked)).not.toBe(`docs__${marked}`);
    expect(qualifiedName('a'.repeat(32), 'b'.repeat(128))).toHaveLength(64);
    expect(qualifiedName('system', 'wipe')).toBe('mcp_system__wipe');
  });
});

describe('what a server says', () => {
  it('is shown without what cannot be seen, and cut', () => {
    const hidden = String.fromCodePoint(0xe0041, 0x200b, 0x202e);
    expect(plainText(`Adds${hidden} two\u001b[31m\nnumbers.`, 100)).toBe('Adds two[31m\nnumbers.');
    expect(plainText('x'.repeat(100), 10)).toBe(`${'x'.repeat(9)}…`);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AGENT_SETTINGS, CliSettings } from '../../contract/agent-settings.ts';
import { applyPatch } from '../../server/config/json.ts';
import {
  checkDefinition,
  DEFINITION_SCHEMA,
  optionsAt,
  schemaAt,
  TOP_FIELDS,
} from '../../web/features/agent-editor/check-definition.ts';
import { suggestAt } from '../../web/features/agent-editor/completion.ts';
import { readLeniently, readText, toText, writeAt } from '../../web/features/agent-editor/draft.ts';
import { GROUPS, groupsFor } from '../../web/features/agent-editor/fields.ts';
import {
  differences,
  type JsonObject,
  linesOf,
  modeOf,
  readPairs,
  toPatch,
  valueFor,
  writePairs,
} from '../../web/features/agent-editor/json-value.ts';
import { changeKind, type KeptSettings, kindOf } from '../../web/features/agent-editor/kinds.ts';
import { fieldTest, placeProblems, problemsAt, readIssue } from '../../web/features/agent-editor/problems.ts';
import { KINDS } from '../../web/state/agent-kinds.ts';
import { readConfirmation } from '../../web/ui/confirmation.ts';

describe('the text of a draft', () => {
  it('is read strictly, with what is wrong and where', () => {
    expect(readText('{"a": 1}').value).toEqual({ a: 1 });
    const { value, errors } = readText('{"a": 1 "b": 2}');
    expect(value).toBeNull();
    expect(errors[0]).toMatchObject({ code: 'CommaExpected', from: 8 });
    expect(readText('{"a": 1,}').value).toBeNull();
    expect(readText('{} // note').value).toBeNull();
    expect(readText('[]').errors[0]?.code).toBe('ObjectExpected');
  });

  it('changes only where a field is written', () => {
    const text = '{\n  "agentId":   "x",\n  "color": "#000000"\n}';
    expect(writeAt(text, ['color'], '#ffffff')).toBe('{\n  "agentId":   "x",\n  "color": "#ffffff"\n}');
  });

  it('gets new fields in their order, and loses what is left empty', () => {
    const text = toText({ agentId: 'x', color: '#000000' });
    const named = writeAt(text, ['displayName'], 'X', TOP_FIELDS);
    expect(Object.keys(readText(named).value ?? {})).toEqual(['agentId', 'displayName', 'color']);
    const modelled = writeAt(text, ['chat', 'model'], 'm');
    expect(readText(modelled).value).toMatchObject({ chat: { model: 'm' } });
    expect(readText(writeAt(modelled, ['chat', 'model'], undefined)).value).toEqual({ agentId: 'x', color: '#000000' });
  });
});

describe('the change that is sent', () => {
  it('names what is new and clears what is gone', () => {
    const before = { agentId: 'x', description: 'a', chat: { provider: 'demo', model: 'm' }, color: '#000000' };
    const after = { agentId: 'x', description: 'b', chat: { provider: 'demo' } };
    expect(toPatch(before, after)).toEqual({ description: 'b', chat: { model: null }, color: null });
  });

  it('has rules about approvals whole, because of their order', () => {
    const before = { agentId: 'x', approvals: { 'a*': 'ask', b: 'allow' } };
    const after = { agentId: 'x', approvals: { b: 'allow', 'a*': 'ask' } };
    expect(Object.keys(toPatch(before, after).approvals ?? {})).toEqual(['b', 'a*']);
  });

  it('makes on the server exactly what was written', () => {
    const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.array(fc.string(), { maxLength: 3 }));
    const name = fc.constantFrom('description', 'color', 'toolAllowlist', 'uiVisible', 'icon');
    const chat = fc.dictionary(fc.constantFrom('model', 'provider', 'temperature'), leaf, {
      minKeys: 1,
      noNullPrototype: true,
    });
    const definition = fc
      .record({ fields: fc.dictionary(name, leaf, { noNullPrototype: true }), chat: fc.option(chat) })
      .map(({ fields, chat: inner }) => ({ agentId: 'x', ...fields, ...(inner && { chat: inner }) }) as JsonObject);
    fc.assert(
      fc.property(definition, definition, (before, after) => {
        expect(applyPatch(before, toPatch(before, after) as JsonObject)).toEqual(after);
      }),
    );
  });

  it('shows where two versions differ, field by field', () => {
    expect(differences({ a: 1, chat: { model: 'x', p: 1 } }, { chat: { model: 'y', p: 1 }, b: 2 })).toEqual([
      { path: ['a'], theirs: 1, mine: undefined },
      { path: ['chat', 'model'], theirs: 'x', mine: 'y' },
      { path: ['b'], theirs: undefined, mine: 2 },
    ]);
  });
});

describe('what the server says of a definition', () => {
  const isField = fieldTest({ odd: 1 }, TOP_FIELDS);

  it.each([
    ['chat.temperature must be at most 2', ['chat', 'temperature'], 'Must be at most 2'],
    ['agents/team/x.json: extends names no template or agent: y', ['extends'], 'Names no template or agent: y'],
    ['agents[12].toolAllowlist[0] must be a string', ['toolAllowlist', 0], 'Must be a string'],
    ['approvals["todo *"] must be one of "allow", "ask"', ['approvals', 'todo *'], 'Must be one of "allow", "ask"'],
    ['odd is not a known field', ['odd'], 'Is not a known field'],
    ['Something else went wrong', [], 'Something else went wrong'],
    ['agents/x.json: cannot be read', [], 'Agents/x.json: cannot be read'],
  ])('is put in its place: %s', (issue, path, message) => {
    expect(readIssue(issue, isField)).toEqual({ path, message });
  });

  it('is shown at the value, at the key of something larger, or at what would hold it', () => {
    const text = '{"chat": {"temperature": 9}, "approvals": {}}';
    const shown = (path: (string | number)[]) => {
      const [{ from, to } = { from: 0, to: 0 }] = placeProblems(text, [{ path, message: 'm' }]);
      return text.slice(from, to);
    };
    expect(shown(['chat', 'temperature'])).toBe('9');
    expect(shown(['approvals'])).toBe('"approvals"');
    expect(shown(['chat', 'model'])).toBe('"chat"');
    expect(shown(['agentId'])).toBe('{');
    expect(shown([])).toBe('{');
  });

  it('belongs to a field together with what is inside it', () => {
    const problems = [
      { path: ['toolAllowlist', 0], message: 'a' },
      { path: ['chat', 'model'], message: 'b' },
    ];
    expect(problemsAt(problems, ['toolAllowlist'])).toHaveLength(1);
    expect(problemsAt(problems, ['chat', 'provider'])).toHaveLength(0);
  });
});

describe('the check before anything is sent', () => {
  it('finds nothing wrong with a sound definition', () => {
    expect(checkDefinition({ agentId: 'x', chat: { provider: 'demo' } })).toEqual([]);
  });

  it('says in words what is wrong, and where', () => {
    const problems = checkDefinition({ agentId: '', chat: { temperature: 9, modle: 'x', provider: 'no' }, icon: 3 });
    expect(problems).toContainEqual({ path: ['chat', 'temperature'], message: 'Must be at most 2' });
    expect(problems).toContainEqual({ path: ['chat', 'modle'], message: 'Unknown field' });
    expect(problems).toContainEqual({ path: ['icon'], message: 'Must be text' });
    expect(problems.find(({ path }) => path[1] === 'provider')?.message).toMatch(/^Must be one of openai, /);
    expect(problems.some(({ path }) => path[0] === 'agentId')).toBe(true);
  });

  it('knows every field of the form', () => {
    const paths = GROUPS.flatMap(({ fields }) => fields.map(({ path }) => path));
    expect(paths.filter((path) => schemaAt(DEFINITION_SCHEMA, path) === null)).toEqual([]);
    const choices = GROUPS.flatMap(({ fields }) => fields).filter(({ control }) => control === 'choice');
    expect(choices.filter(({ path }) => optionsAt(DEFINITION_SCHEMA, path).length === 0)).toEqual([]);
  });

  it('is for definitions that the form can write whole, whatever the kind', () => {
    const kinds = { ...AGENT_SETTINGS, 'chat.cli': CliSettings };
    const settings = Object.entries(kinds).flatMap(([kind, { shape }]) =>
      Object.keys(shape).map((name) => `${kind}.${name}`),
    );
    const inForm = new Set(GROUPS.flatMap(({ fields }) => fields.map(({ path }) => path.join('.'))));
    // Settings that are groups of settings, that are set by approving a card, or that few people need.
    const elsewhere = ['chat.cli', 'a2a.cardHash', 'chat.attachments'];
    expect(settings.filter((name) => !inForm.has(name) && !elsewhere.includes(name))).toEqual([]);
  });
});

describe('suggestions in the JSON', () => {
  const vocabulary = { agents: ['team/a'], templates: ['writer'], tools: ['todo_add'] };

  /** `|` is the caret. */
  function suggest(marked: string) {
    const offset = marked.indexOf('|');
    const text = marked.replace('|', '');
    return suggestAt(text, offset, DEFINITION_SCHEMA, readLeniently(text), vocabulary);
  }

  it('are the fields that are not there yet, with a value to begin with', () => {
    const found = suggest('{"agentId": "x", "|"}');
    const labels = found?.options.map(({ label }) => label) ?? [];
    expect(labels).toContain('systemPrompt');
    expect(labels).not.toContain('agentId');
    expect(found?.options.find(({ label }) => label === 'toolAllowlist')?.insert).toBe('"toolAllowlist": []');
  });

  it('know what is inside of something else', () => {
    const labels = suggest('{"chat": {"|"}}')?.options.map(({ label }) => label);
    expect(labels).toContain('temperature');
    expect(labels).not.toContain('systemPrompt');
  });

  it('replace the name before a colon without a second value', () => {
    const found = suggest('{"displa|": "X"}');
    expect(found).toMatchObject({ from: 1, to: 9 });
    expect(found?.options.find(({ label }) => label === 'displayName')?.insert).toBe('"displayName"');
  });

  it('are the values that may stand there', () => {
    const labels = (marked: string) => suggest(marked)?.options.map(({ label }) => label);
    expect(labels('{"chat": {"provider": "|"}}')).toContain('anthropic');
    expect(labels('{"uiVisible": |}')).toEqual(['true', 'false']);
    expect(suggest('{"uiVisible": tr|}')).toMatchObject({ from: 14, to: 16 });
    expect(labels('{"extends": "|"}')).toEqual(['writer', 'team/a']);
    expect(labels('{"toolAllowlist": ["|"]}')).toEqual(['todo_add']);
    expect(labels('{"approvals": {"x": "|"}}')).toEqual(['allow', 'ask', 'deny']);
    expect(labels('{"description": "|"}')).toBeUndefined();
  });
});

describe('a list of patterns', () => {
  it('tells no list from an empty one', () => {
    expect([undefined, null, [], ['*']].map(modeOf)).toEqual(['unset', 'free', 'nothing', 'these']);
    expect(valueFor('unset', ['a'])).toBeUndefined();
    expect(valueFor('free', ['a'])).toBeNull();
    expect(valueFor('nothing', ['a'])).toEqual([]);
    expect(valueFor('these', ['a'])).toEqual(['a']);
  });

  it('is written one a line', () => {
    expect(linesOf(' todo_*\n\nmemory_save, x ')).toEqual(['todo_*', 'memory_save', 'x']);
  });
});

describe('the kind of an agent', () => {
  it('is what its type and its provider say, or what it inherits', () => {
    expect(kindOf({}, {})).toBe('model');
    expect(kindOf({ chat: { provider: 'codex-cli' } }, {})).toBe('codex');
    expect(kindOf({ type: 'acp', chat: { provider: 'codex-cli' } }, {})).toBe('acp');
    expect(kindOf({}, { type: 'a2a' })).toBe('a2a');
    expect(kindOf({ type: 'chat' }, { type: 'acp', chat: { provider: 'pi-cli' } })).toBe('pi');
  });

  it('can be any other and be the former again, with every field as it was', () => {
    for (const from of KINDS) {
      for (const to of KINDS) {
        const kept: KeptSettings = {};
        const begun = readText(changeKind('{"agentId": "x"}', { agentId: 'x' }, {}, from, {})).value!;
        const field = kindField(begun);
        const before = { ...begun, [field]: { ...(begun[field] as JsonObject), marked: from } };
        const there = readText(changeKind(toText(before), before, {}, to, kept)).value!;
        expect(kindOf(there, {})).toBe(to);
        expect(readText(changeKind(toText(there), there, {}, from, kept)).value).toEqual(before);
      }
    }
  });

  it('is said where what it extends is another one', () => {
    const heir: JsonObject = { agentId: 'x', extends: 'remote' };
    const text = changeKind(toText(heir), heir, { type: 'a2a' }, 'claude', {});
    expect(readText(text).value).toEqual({ ...heir, type: 'chat', chat: { provider: 'claude-cli' } });
  });

  it('shows its own fields, and those of another one only while they say something', () => {
    const shown = (value: JsonObject) =>
      groupsFor(kindOf(value, {}), value).flatMap(({ fields }) => fields.map(({ path }) => path.join('.')));
    expect(shown({ type: 'a2a' })).toContain('a2a.url');
    expect(shown({ type: 'a2a' }).filter((path) => /^(chat|acp|external|workspace|tool)/.test(path))).toEqual([]);
    expect(shown({ type: 'a2a', chat: { model: 'm' } })).toContain('chat.model');
  });
});

/** The field that holds the settings. */
function kindField({ type = 'chat' }: JsonObject): string {
  return String(type ?? 'chat');
}

describe('names with values', () => {
  it('are one a line, and a line without a value keeps its name', () => {
    expect(readPairs('A=1\n\n B = x=y \nC')).toEqual({ A: '1', B: 'x=y', C: '' });
    expect(readPairs('a=true\nb=yes', true)).toEqual({ a: true, b: 'yes' });
    expect(readPairs(' \n')).toBeUndefined();
    expect(writePairs({ A: '1', b: false })).toBe('A=1\nb=false');
  });
});

describe('what the server wants confirmed', () => {
  it('is taken apart without losing a word', () => {
    const what =
      "A=1 B='x y=z' C=$'\\n' node --flag D=2\nMode: yolo\nWorks in /tmp\nApprovals: allows '*' without asking\n\nbash\nMode: a";
    expect(readConfirmation(what)).toEqual([
      {
        commandLine: "A=1 B='x y=z' C=$'\\n' node --flag D=2",
        variables: ['A', 'B', 'C'],
        folder: '/tmp',
        rights: ['Mode: yolo', "Approvals: allows '*' without asking"],
      },
      { commandLine: 'bash', variables: [], folder: null, rights: ['Mode: a'] },
    ]);
  });
});

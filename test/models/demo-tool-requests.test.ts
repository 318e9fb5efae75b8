import { describe, expect, test } from 'vitest';
import { buildSystemPrompt, type PromptSections } from '../../server/agents/prompt/system-prompt.ts';
import { readDelegateTags } from '../../server/delegation/delegate-tags.ts';
import { openModel } from '../../server/models/open.ts';
import type { ModelMessage, ModelRequest } from '../../server/models/types.ts';
import { collect, LIMITS, request, said } from './setup.ts';

const demo = openModel({ provider: 'demo', model: 'demo-fast' }, LIMITS);

/** As the real tools take it, as far as the demo looks. */
function tool(name: string, ...properties: string[]) {
  const described = Object.fromEntries(properties.map((property) => [property, { type: 'string' }]));
  return { name, description: 'Summarise the page', inputSchema: { type: 'object', properties: described } };
}

const TOOLS = [
  tool('agents_message', 'agentId', 'content', 'mode'),
  tool('ask_user', 'question', 'fields'),
  tool('journal_add', 'text', 'title'),
  tool('journal_list'),
  tool('journal_search', 'query'),
  tool('reading_list_add', 'url', 'title', 'note'),
  tool('reading_list_list'),
  tool('reading_list_search', 'query'),
  tool('todo_add', 'title', 'notes'),
  tool('todo_list', 'query'),
  tool('web_fetch', 'url'),
];

const FRIENDS = [
  { agentId: 'reading-list', displayName: 'Reading List Manager', description: 'keeps links' },
  { agentId: 'wisp/scheduler', displayName: 'Scheduler', description: '' },
];

function prompt(more: Partial<PromptSections>, name = 'Ada') {
  const sections = { tools: TOOLS, agents: FRIENDS, canMessage: true, guest: false, othersSpoke: false, ...more };
  return buildSystemPrompt({ agentId: 'a', displayName: name, description: '', systemPrompt: null }, sections);
}

async function callsFor(text: string, more: Partial<ModelRequest> = {}) {
  const events = await collect(demo, request(text, { system: prompt({}), tools: TOOLS, ...more }));
  return events.flatMap((event) => (event.type === 'tool_call' ? [[event.name, JSON.parse(event.input)]] : []));
}

describe('plain wishes', () => {
  const link = 'https://example.com/article';

  test.each([
    ['Ask the reading-list agent to add https://example.com/article', 'reading-list', `add ${link}`],
    ['tell Reading List Manager to show my list', 'reading-list', 'show my list'],
    ['please ask scheduler to clear my afternoon', 'wisp/scheduler', 'clear my afternoon'],
    ['ask @wisp/scheduler: what is on today?', 'wisp/scheduler', 'what is on today?'],
    ['ask the cooking agent to boil an egg', 'cooking', 'boil an egg'],
  ])('"%s" asks %s', async (text, agentId, content) => {
    expect(await callsFor(text)).toEqual([['agents_message', { agentId, content }]]);
  });

  test('of two at once, and in the background, are asked of both without waiting', async () => {
    const mode = 'async';
    expect(await callsFor('ask reading-list and the Scheduler in the background to say hello')).toEqual([
      ['agents_message', { agentId: 'reading-list', content: 'say hello', mode }],
      ['agents_message', { agentId: 'wisp/scheduler', content: 'say hello', mode }],
    ]);
  });

  test.each([
    [`add ${link}`, 'reading_list_add', { url: link }],
    [`Add ${link}.`, 'reading_list_add', { url: link }],
    [`add ${link} A good read to my reading list`, 'reading_list_add', { url: link, title: 'A good read' }],
    ['add milk to my todo list', 'todo_add', { title: 'milk' }],
    ['remind me to water the plants', 'todo_add', { title: 'water the plants' }],
    ['write that today was good', 'journal_add', { text: 'today was good' }],
    ['add a walk in the park to my journal', 'journal_add', { text: 'a walk in the park' }],
    ['show my reading list', 'reading_list_list', {}],
    ["what's on my todo list?", 'todo_list', {}],
    ['search my journal for parks', 'journal_search', { query: 'parks' }],
    ['search my todos for milk.', 'todo_list', { query: 'milk' }],
    [`fetch ${link}`, 'web_fetch', { url: link }],
    ['ask me which colour I like', 'ask_user', { question: 'Which colour do you like?' }],
  ])('"%s" uses %s', async (text, name, input) => {
    expect(await callsFor(text)).toEqual([[name, input]]);
  });

  test('about a list mean the one that the agent keeps', async () => {
    expect(await callsFor('add milk to my list', { system: prompt({}, 'Todo Manager') })).toEqual([
      ['todo_add', { title: 'milk' }],
    ]);
    expect(await callsFor('show my list', { system: prompt({}, 'Reading List Manager') })).toEqual([
      ['reading_list_list', {}],
    ]);
  });

  test('work as well when an agent has them', async () => {
    const asked = `<from agent="general">add ${link}</from>`;
    expect(await callsFor(asked)).toEqual([['reading_list_add', { url: link }]]);
  });

  test('without the tool for them are small talk', async () => {
    for (const text of [`add ${link}`, 'ask me my name', 'ask scheduler to help', 'show my reading list'])
      expect(await callsFor(text, { system: prompt({ tools: [], agents: [] }), tools: [] })).toEqual([]);
  });

  test('are listed in the help as they work', async () => {
    const listed = said(await collect(demo, request('help', { system: prompt({}), tools: TOOLS })));
    const plain = listed.match(/^- (?:add|remind|write that|ask me) .+$/gm) ?? [];
    expect(plain).toHaveLength(4);
    for (const wish of plain) expect(await callsFor(wish.slice(2))).toHaveLength(1);
  });
});

describe('results', () => {
  const report = async (name: string, output: string, isError = false) => {
    const messages: ModelMessage[] = [
      { role: 'user', text: 'go' },
      { role: 'assistant', text: '', toolCalls: [{ id: '1', name, input: '{}' }] },
      { role: 'tool', results: [{ id: '1', name, output, isError }] },
    ];
    return said(await collect(demo, request('', { messages })));
  };

  test('are told in one sentence', async () => {
    expect(await report('todo_add', 'Added:\n[1m7hsx0t17] call the printers')).toBe(
      'Added "call the printers" to your to-dos.',
    );
    const answer = { agentId: 'bob', status: 'complete', response: 'It is\ndone.' };
    expect(await report('agents_message', JSON.stringify(answer))).toBe('Bob replied: It is done.');
    expect(await report('agents_message', JSON.stringify({ ...answer, status: 'started' }))).toContain('come later');
    const refusal = { agentId: 'bob', status: 'error', message: 'There is no such agent.' };
    expect(await report('agents_message', JSON.stringify(refusal), true)).toBe('Bob: There is no such agent.');
    expect(await report('ask_user', '{"text":"blue"}')).toBe('You said: blue');
  });

  test('that come later are told when they come, and not taken for a wish', async () => {
    const messages: ModelMessage[] = [
      { role: 'user', text: 'ask bob in the background to count' },
      { role: 'assistant', text: '', toolCalls: [{ id: '1', name: 'agents_message', input: '{"agentId":"bob"}' }] },
      { role: 'tool', results: [{ id: '1', name: 'agents_message', output: '{}', isError: false }] },
      { role: 'assistant', text: 'Later.' },
      { role: 'user', text: '<from agent="bob">add one more. Then stop.</from>' },
    ];
    const words = said(await collect(demo, request('', { messages, tools: TOOLS })));
    expect(words).toBe('A reply has arrived. Bob says: “add one more.”');
  });
});

describe('tags', () => {
  const system = prompt({ tools: [], agents: [], delegates: FRIENDS });
  const asked: ModelMessage = { role: 'user', text: 'ask the Scheduler and reading-list to clear a & b' };

  test('are written when there is no other way to ask, and say what is asked', async () => {
    const words = said(await collect(demo, request('', { system, messages: [asked] })));
    expect(readDelegateTags(words)).toEqual({
      text: "I'll delegate this to Scheduler and Reading List Manager.\n\n\n",
      delegations: [
        { to: 'wisp/scheduler', task: 'clear a & b' },
        { to: 'reading-list', task: 'clear a & b' },
      ],
    });
  });

  test('are written when they are asked for, also when there is another way', async () => {
    const both = prompt({ delegates: FRIENDS });
    const text = 'delegate to scheduler: clear my afternoon';
    const words = said(await collect(demo, request(text, { system: both, tools: TOOLS })));
    expect(readDelegateTags(words).delegations).toEqual([{ to: 'wisp/scheduler', task: 'clear my afternoon' }]);
    expect(await callsFor('ask scheduler to help', { system: both })).toHaveLength(1);
  });

  test('are not written twice: what came of them is summed up', async () => {
    const given = (to: string): ModelMessage => ({ role: 'assistant', text: `<delegate to="${to}">clear</delegate>` });
    const before: ModelMessage[] = [asked, { role: 'assistant', text: 'I will.' }, given('wisp/scheduler')];
    const answers: ModelMessage[] = [
      { role: 'assistant', text: '<from agent="wisp/scheduler">Cleared. Enjoy.</from>' },
      given('reading-list'),
      { role: 'assistant', text: '<from agent="reading-list">Nothing to clear.</from>' },
    ];
    const summary = 'Done. Scheduler says: “Cleared.” Reading list says: “Nothing to clear.”';
    const note: ModelMessage = { role: 'user', text: '[The agents you asked have answered. Go on.]' };
    for (const messages of [
      [...before, ...answers],
      [...before, ...answers, note],
    ])
      expect(said(await collect(demo, request('', { system, messages })))).toBe(summary);
    const words = said(await collect(demo, request('', { system, messages: [...before, note] })));
    expect(words).toBe('I asked, but there is no reply yet.');
  });

  test('of an earlier question do not answer a later one', async () => {
    const messages: ModelMessage[] = [
      asked,
      { role: 'assistant', text: '<delegate to="wisp/scheduler">clear</delegate>' },
      { role: 'assistant', text: '<from agent="wisp/scheduler">Cleared.</from>' },
      { role: 'user', text: 'count to 3' },
    ];
    expect(said(await collect(demo, request('', { system, messages })))).toBe('1 2 3');
  });
});

test('what tools say of themselves is not taken for what the agent is', async () => {
  const words = said(await collect(demo, request('hello', { system: prompt({}), tools: TOOLS })));
  expect(words).toContain('This is Ada, played by the offline demo model');
});

test('a plan in the question is looked at: what it does not mention is asked for', async () => {
  const look = async (plan: string) => said(await collect(demo, request(`look at my plan: ${plan}`)));
  const bare = await look('everything ships on Friday');
  expect(bare).toContain('> everything ships on Friday');
  expect(bare).toContain('1. **Who does it?**');
  const told = await look('Mia will ship on Friday and we tell all customers');
  expect(told).not.toContain('Who does it?');
  expect(told).not.toContain('Who is told?');
  expect(told).toContain('What if it goes wrong?');
});

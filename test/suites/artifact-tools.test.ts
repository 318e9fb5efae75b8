import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callAsTold, resultsIn, wireMessages } from './calling.ts';
import { Keeping } from './keeping.ts';
import { openAction } from './looking.ts';
import { TestServer } from './test-server.ts';

let server: TestServer;
let keep: Keeping;
let session: string;

beforeAll(async () => {
  server = await TestServer.start({
    agents: [
      { agentId: 'ada', toolAllowlist: ['lists_*', 'notes_*', 'views_*', 'todo_*'] },
      { agentId: 'marker', toolAllowlist: ['lists_*'], capabilityAllowlist: ['lists.read', 'lists.mark'] },
      'mute',
      { agentId: 'asker', toolAllowlist: ['lists_*'], approvals: { lists_remove: 'ask' } },
      { agentId: 'kept', toolAllowlist: ['lists_*', 'notes_*', 'views_*'], toolDenylist: ['todo_*', 'journal_*'] },
      {
        agentId: 'reader',
        toolAllowlist: ['lists_*', 'notes_*', 'todo_*'],
        capabilityDenylist: ['journal.*', 'todos.write', 'todos.append'],
      },
    ],
  });
  server.provider.script(callAsTold);
  keep = new Keeping(server);
  session = await server.open();
});
afterAll(() => server.close());

async function use(tool: string, input: object = {}, sessionId = session) {
  const { message } = await server.say(sessionId, `call ${tool} ${JSON.stringify(input)}`);
  const answer = (await server.messages(sessionId)).find(({ seq }) => seq! > message.seq!)!;
  return resultsIn(answer)[0]!;
}

async function result(tool: string, input: object = {}): Promise<string> {
  const { output, isError } = await use(tool, input);
  expect([isError, output]).toEqual([false, output]);
  return output;
}

async function refusal(tool: string, input: object = {}, sessionId = session): Promise<string> {
  const { output, isError } = await use(tool, input, sessionId);
  expect([isError, output]).toEqual([true, output]);
  return output;
}

describe('an agent with lists', () => {
  test('adds, shows, marks, changes, moves and removes items; each change says which agent made it in which turn', async () => {
    const { id } = await keep.list('Groceries', { fields: [{ id: 'price', name: 'Price', type: 'number' }] });
    const added = await result('lists_add', {
      list: 'groceries',
      items: [
        { title: 'Milk', tags: ['shop'], values: { price: 2 } },
        { title: 'Bread', notes: 'dark' },
      ],
    });
    const [milk, bread] = [...added.matchAll(/^\[(\w+)\]/gm)].map(([, itemId]) => itemId!);
    expect(added).toBe(
      `Added to "Groceries" [${id}]:\n[${milk}] [ ] Milk (Price: 2) #shop\n[${bread}] [ ] Bread\n  dark`,
    );
    const [entry] = await keep.history(id);
    expect(entry!.by).toMatchObject({ kind: 'agent', agentId: 'ada', sessionId: session });
    expect((await server.turn(entry!.by.turnId!)).agentId).toBe('ada');
    await result('lists_mark', { items: ['milk'], list: id });
    expect(await result('lists_show', { list: id })).toBe(
      `"Groceries" [${id}], version 4, 1 of 2 open\nFields: price "Price" (number)\n1 open item:\n[${bread}] [ ] Bread\n  dark`,
    );
    await result('lists_update', { item: bread, due: '2026-12-24', values: { price: 3.5 } });
    await result('lists_move', { items: [bread], before: milk });
    expect(await keep.titles(id)).toEqual(['Bread', 'Milk']);
    expect(await result('lists_show', { list: id, status: 'done' })).toContain(`[${milk}] [x] Milk (Price: 2) #shop`);
    await result('lists_remove', { items: [milk] });
    const { version } = await keep.read(id);
    expect(await result('lists_history', { list: id, limit: 1 })).toContain(`[${version}] item deleted "Milk" by ada`);
    await result('lists_undo', { list: id, versions: [version] });
    expect(await keep.titles(id)).toEqual(['Bread', 'Milk']);
  });

  test('is told of candidates when a name means several, and of nothing when it means none', async () => {
    const one = await keep.list('Twice');
    const two = await keep.list('twice');
    const words = await refusal('lists_show', { list: 'TWICE' });
    expect(words).toContain(`[${one.id}] Twice\n[${two.id}] twice`);
    expect(await result('lists_show', { list: two.id })).toContain('No open items.');
    expect(await refusal('lists_add', { list: 'Nothing', items: [{ title: 'x' }] })).toContain(
      'There is no list "Nothing"',
    );
    await keep.add(one.id, { title: 'same' }, { title: 'Same' });
    expect(await refusal('lists_mark', { items: ['same'], list: one.id })).toContain('Several items are called "same"');
    expect(await refusal('lists_mark', { items: ['none'] })).toContain('There is no item "none"');
    await keep.note('Only a note', '');
    expect(await refusal('lists_show', { list: 'Only a note' })).toContain('There is no list');
  });

  test('sees a long list in pages', async () => {
    const { list } = await keep.listOf('Long', ...Array.from({ length: 7 }, (_, index) => `item ${index}`));
    const first = await result('lists_show', { list: list.id, limit: 3 });
    const after = /use after (\w+)\./.exec(first)![1]!;
    expect(await result('lists_show', { list: list.id, limit: 4, after })).toMatch(/item 3[\s\S]*item 6$/);
  });

  test('is told what a person wrote meanwhile, when it says what it had read', async () => {
    const { items } = await keep.listOf('Shared', 'a');
    const base = items[0]!.version;
    await keep.patch(items[0]!, { title: 'by the person' });
    const words = await refusal('lists_update', { item: items[0]!.id, title: 'by ada', base });
    expect(words).toContain('title: it is now "by the person", you wanted "by ada"');
    await result('lists_update', { item: items[0]!.id, notes: 'by ada', base });
    expect((await keep.items(items[0]!.listId))[0]).toMatchObject({ title: 'by the person', notes: 'by ada' });
  });

  test('uses what its capabilities allow and nothing else; a removal waits where it has to be approved', async () => {
    const { list, items } = await keep.listOf('Scoped', 'a');
    const marking = await server.open('marker');
    expect((await use('lists_mark', { items: [items[0]!.id] }, marking)).isError).toBe(false);
    expect(await refusal('lists_add', { list: list.id, items: [{ title: 'b' }] }, marking)).not.toContain('Added');
    const asking = await server.open('asker');
    await server.send(asking, `call lists_remove {"items":["${items[0]!.id}"]}`);
    const action = await openAction(server, asking);
    expect(await keep.titles(list.id)).toEqual(['a']);
    await server.call('answerAction', { params: { actionId: action.id }, body: { decision: 'deny' } });
    expect(await keep.titles(list.id)).toEqual(['a']);
  });

  test('creates and changes lists', async () => {
    const made = await result('lists_create', {
      name: 'Made',
      fields: [{ id: 'state', name: 'State', type: 'choice', choices: ['a'] }],
    });
    const id = /\[(.+)\]/.exec(made)![1]!;
    expect(await keep.read(id)).toMatchObject({ name: 'Made', createdBy: { kind: 'agent', agentId: 'ada' } });
    expect(await refusal('lists_add', { list: id, items: [{ title: 'x', values: { state: 'b' } }] })).toBe(
      'state: must be one of: a',
    );
    await result('lists_change', { list: id, description: 'by ada' });
    expect(await result('lists_list')).toContain(`[${id}] Made (0 open)`);
    await result('lists_delete', { list: id });
    expect((await keep.read(id)).deletedAt).not.toBeNull();
  });

  test('finds items by their words', async () => {
    const { list, items } = await keep.listOf('Haystack', 'a rare needle');
    expect(await result('lists_search', { query: 'needle' })).toContain(
      `[${items[0]!.id}] a rare needle in "Haystack" [${list.id}]`,
    );
  });
});

describe('an agent with notes', () => {
  test('creates, reads, appends, edits and writes them', async () => {
    const made = await result('notes_create', { name: 'Trip', text: '# Plan', tags: ['travel'] });
    const id = /\[(.+)\]/.exec(made)![1]!;
    await result('notes_append', { note: 'trip', text: '- tickets' });
    expect(await result('notes_read', { note: 'Trip' })).toBe(`"Trip" [${id}], version 2 #travel\n\n# Plan\n- tickets`);
    await result('notes_edit', { note: id, find: '- tickets', replace: '- tickets: bought' });
    expect(await refusal('notes_edit', { note: id, find: 'tickets ', replace: '' })).toContain('no such passage');
    await result('notes_write', { note: id, name: 'Journey' });
    expect(await result('notes_read', { note: 'journey', version: 2 })).toContain('- tickets');
    expect(await result('notes_search', { query: 'bought' })).toContain('"Journey"');
    expect(await result('notes_list')).toContain(`[${id}] Journey #travel`);
    expect(await result('notes_history', { note: id })).toContain('[3] changed "Trip" by ada');
    await result('notes_undo', { note: id, versions: [3] });
    expect((await keep.readNote({ id })).text).toBe('# Plan\n- tickets');
  });

  test('and a person write into one note, and the lines of both are there', async () => {
    const note = await keep.note('Both', 'one\ntwo');
    await keep.write(note, { text: 'ONE\ntwo' });
    await result('notes_write', { note: note.id, text: 'one\nTWO', base: 1 });
    expect((await keep.readNote(note)).text).toBe('ONE\nTWO');
    expect(await refusal('notes_write', { note: note.id, text: 'uno\ntwo', base: 1 })).toContain('text: it is now');
  });

  test('reads a long note in parts', async () => {
    const note = await keep.note('Long text', 'x'.repeat(20_000));
    expect(await result('notes_read', { note: note.id })).toContain('[8000 more characters: use offset 12000]');
    expect((await result('notes_read', { note: note.id, offset: 12_000 })).length).toBeLessThan(8200);
  });
});

describe('an agent with views', () => {
  test('queries, saves and shows them', async () => {
    const { list, items } = await keep.listOf('Chores', 'sweep', 'wash');
    await keep.patch(items[0]!, { done: true });
    const query = { lists: [list.id], filters: [{ field: 'done', test: 'is', value: false }] };
    expect(await result('views_query', { query })).toBe(`The query: 1 row:\n[${items[1]!.id}] [ ] wash in "Chores"`);
    const made = await result('views_create', { name: 'Left', query: { ...query, group: 'list' }, layout: 'board' });
    const id = /\[(.+)\]/.exec(made)![1]!;
    expect(await result('views_show', { view: 'left' })).toBe(
      `"Left" [${id}]: 1 row:\nChores:\n[${items[1]!.id}] [ ] wash in "Chores"`,
    );
    await result('views_change', { view: id, layout: 'list' });
    expect(await result('views_list')).toContain(`[${id}] Left: list`);
    expect(await refusal('views_query', { query, timeZone: 'Nowhere' })).toContain('Unknown time zone');
  });
});

test('a to-do that an agent adds is in the list of the person at once, and what the person ticks off is done for the agent', async () => {
  await result('todo_add', { title: 'call Bob' });
  const [todo] = (await server.call('listArtifacts', { query: { plugin: 'todo' } })).artifacts;
  const items = await keep.items(todo!.id);
  expect(items[0]).toMatchObject({ title: 'call Bob', createdBy: { kind: 'agent', agentId: 'ada' } });
  await keep.patch(items[0]!, { done: true });
  expect(await result('todo_list')).toBe('No open todos.');
  const [mine] = (await keep.add(todo!.id, { title: 'mine', due: '2030-01-01', values: { priority: 'high' } })).items;
  expect(await result('todo_list')).toBe(`1 open todo:\n[${mine!.id}] mine (due 2030-01-01, high priority)`);
  await server.call('deleteArtifact', { params: { artifactId: todo!.id } });
  await result('todo_add', { title: 'after the trash' });
  expect(await result('todo_list')).toContain('1 open todo:');
  await server.call('restoreArtifact', { params: { artifactId: todo!.id } });
  expect((await server.call('listArtifacts', { query: { plugin: 'todo' } })).artifacts).toHaveLength(1);
});

describe('the prompt of an agent', () => {
  const systemOf = async (sessionId: string) => {
    await server.say(sessionId, `hello ${sessionId}`);
    const request = await server.asked(({ said }) => said.includes(`hello ${sessionId}`));
    return wireMessages(request)[0]!.content!;
  };

  test('names what its tools can read, explains the line about what the person looks at, and ends with the open panels', async () => {
    const { id } = await keep.list('Named in the prompt');
    const note = await keep.note('A note in the prompt', 'text');
    const sessionId = await server.open();
    const panel = {
      panelId: 'panel-9',
      panelType: 'list',
      title: 'Named in the prompt',
      item: { type: 'list', id, name: 'Named in the prompt' },
      view: null,
      selection: [],
    };
    const leave = new AbortController();
    const page = server.parley.events(`/api/sessions/${sessionId}/events?after=0`, {}, leave.signal);
    await page.next();
    const body = { clientId: 'page', panels: [panel], selectedPanelId: 'panel-9', isVisible: true };
    await server.call('pushPanels', { params: { sessionId }, body });
    const prompt = await systemOf(sessionId);
    expect(prompt).toContain(`\n- Named in the prompt (${id})`);
    expect(prompt).toContain(`note:\n- A note in the prompt (${note.id})`);
    expect(prompt).toContain('Message context:\n');
    expect(prompt.endsWith(`Open artifacts panels:\n- panel-9: list "Named in the prompt" (${id})`)).toBe(true);
    leave.abort();
  });

  test('names nothing that its tools cannot read', async () => {
    const marking = await systemOf(await server.open('marker'));
    expect(marking).toContain('Named in the prompt');
    expect(marking).not.toContain('A note in the prompt');
    const without = await systemOf(await server.open('mute'));
    for (const words of ['Available artifact items', 'Message context', 'panels']) expect(without).not.toContain(words);
  });
});

describe('what a plugin keeps', () => {
  const QUERY = { query: { notes: true, words: 'zebra' } };
  let todos: string;

  beforeAll(async () => {
    await server.call('runTool', { body: { tool: 'todo_add', input: { title: 'zebra to-do' } } });
    await server.call('runTool', { body: { tool: 'journal_add', input: { title: 'Secret day', text: 'zebra page' } } });
    const kept = await server.call('listArtifacts', { query: { plugin: 'todo' } });
    todos = kept.artifacts[0]!.id;
    await keep.add((await keep.list('Animals')).id, { title: 'zebra item' });
  });

  test('is not shown by the tools for lists, notes and views to an agent that is denied the plugin’s own', async () => {
    const id = await server.open('kept');
    const all = [
      await use('lists_list', {}, id),
      await use('lists_search', { query: 'zebra' }, id),
      await use('notes_list', {}, id),
      await use('views_query', QUERY, id),
    ].map(({ output }) => output);
    expect(all.join('\n')).toContain('zebra item');
    expect(all.join('\n')).not.toMatch(/zebra (to-do|page)|Secret day/);
    expect(all.join('\n')).not.toContain(todos);
    expect((await use('notes_search', { query: 'zebra' }, id)).output).not.toContain('page');
    expect(await refusal('lists_show', { list: todos }, id)).toContain('There is no list');
    expect(await refusal('notes_read', { note: 'Secret day' }, id)).toContain('There is no note');
    expect(server.prompt('kept')[0]!.content).toContain('Animals');
    expect(server.prompt('kept')[0]!.content).not.toMatch(new RegExp(`${todos}|Secret day`));
  });

  test('is changed by an agent only as far as its capabilities for the plugin allow', async () => {
    const id = await server.open('reader');
    const shown = (await use('lists_show', { list: todos }, id)).output;
    const item = /\[(\w+)\] \[ \] zebra to-do/.exec(shown)![1]!;
    expect(await refusal('lists_add', { list: todos, items: [{ title: 'more' }] }, id)).toContain('do not let you');
    expect(await refusal('lists_remove', { items: [item] }, id)).toContain('do not let you');
    expect((await use('lists_mark', { items: [item] }, id)).isError).toBe(false);
    expect(await refusal('notes_append', { note: 'Secret day', text: 'x' }, id)).toContain('There is no note');
  });

  test('is an ordinary list for an agent whose lists name only the tools for lists', async () => {
    const id = await server.open('asker');
    expect((await use('lists_show', { list: todos, status: 'all' }, id)).output).toContain('zebra to-do');
  });
});

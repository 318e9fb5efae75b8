import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { idIn, PERSON, ToolFixture } from './tool-fixture.ts';

let bench: ToolFixture;
beforeAll(async () => {
  bench = await ToolFixture.open();
});
afterAll(() => bench.close());

let people = 0;
/** Somebody whose lists are empty. */
const newcomer = () => ({ owner: `person-${people++}` });

describe('the reading list', () => {
  it('keeps links, finds them, and knows what has been read', async () => {
    const me = newcomer();
    const first = idIn(
      await bench.call('reading_list_add', { url: 'https://a.example/x', title: 'On Growth', tags: ['Bio'] }, me),
    );
    const second = await bench.call('reading_list_add', { url: 'https://b.example/', note: 'café\nsecond line' }, me);
    expect(second).toMatch(
      /^Added:\n\[\w{10}\] <https:\/\/b\.example\/> \(added \d{4}-\d\d-\d\d\)\n {2}café\n {2}second line$/,
    );
    expect(await bench.call('reading_list_list', {}, me)).toMatch(
      /^2 unread links:\n\[\w+\] <https:\/\/b[\s\S]*\n\[\w+\] On Growth <https:\/\/a\.example\/x> \(added .{10}\) #Bio$/,
    );
    expect(await bench.call('reading_list_mark_read', { id: first }, me)).toContain('(read ');
    expect(await bench.call('reading_list_list', {}, me)).toMatch(/^1 unread link:/);
    expect(await bench.call('reading_list_list', { status: 'read', tag: 'bio' }, me)).toContain('On Growth');
    expect(await bench.call('reading_list_search', { query: 'CAFE second' }, me)).toMatch(/^1 matching link:/);
    expect(await bench.call('reading_list_search', { query: 'cafe growth' }, me)).toBe('No matching links.');
    expect(await bench.call('reading_list_mark_read', { id: first, read: false }, me)).toContain('unread');
    expect(await bench.call('reading_list_update', { id: first, title: 'On\nForm', tags: [] }, me)).toMatch(
      /On Form <https:\/\/a\.example\/x> \(added .{10}\)$/,
    );
    expect(await bench.call('reading_list_delete', { id: first }, me)).toBe(`Deleted ${first}.`);
    await expect(bench.call('reading_list_delete', { id: first }, me)).rejects.toThrow(`No link with the ID ${first}.`);
  });

  it('holds a link once', async () => {
    const me = newcomer();
    const [one, two] = await Promise.all(
      ['a', 'b'].map((title) => bench.call('reading_list_add', { url: 'https://a.example/', title }, me)),
    );
    expect(idIn(one!)).toBe(idIn(two!));
    expect([one, two].map((text) => text!.split(':')[0]).sort()).toEqual(['Added', 'Already on the list']);
  });

  it('is read page by page, the newest first', async () => {
    const me = newcomer();
    for (let n = 0; n < 5; n++) await bench.call('reading_list_add', { url: `https://a.example/${n}` }, me);
    const first = await bench.call('reading_list_list', { limit: 2 }, me);
    const before = /More: use before (\w+)\.$/.exec(first)![1];
    const second = await bench.call('reading_list_list', { limit: 10, before }, me);
    const numbers = [first, second].map((text) => Array.from(text.matchAll(/example\/(\d)/g), ([, n]) => n).join(''));
    expect(numbers).toEqual(['43', '210']);
    expect(second).not.toContain('More:');
  });

  it('lets somebody add who may not change anything, like the reading-list agent of the design document', () => {
    const denied = ['lists.write'];
    const may = bench.toolbox
      .all()
      .filter(
        ({ name, capabilities }) =>
          name.startsWith('reading_list_') && !capabilities.some((one) => denied.includes(one)),
      );
    expect(may.map(({ name }) => name)).toEqual([
      'reading_list_add',
      'reading_list_list',
      'reading_list_search',
      'reading_list_mark_read',
    ]);
    expect(may.every(({ capabilities }) => capabilities.every((one) => one.startsWith('lists.')))).toBe(true);
  });
});

describe('todos', () => {
  const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);

  it('come in the order in which they are due, and leave when they are done', async () => {
    const me = newcomer();
    const add = async (title: string, more: object = {}) => idIn(await bench.call('todo_add', { title, ...more }, me));
    const milk = await add('milk');
    await add('report', { due: day(2), priority: 'high', notes: 'to Ada' });
    await add('taxes', { due: day(-1) });
    await add('call', { due: day(2), tags: ['phone'] });
    await add('far', { due: day(30) });
    await add('urgent', { priority: 'high' });
    const titles = (text: string) => Array.from(text.matchAll(/^\[\w+\] (\w+)/gm), ([, title]) => title);
    const all = await bench.call('todo_list', {}, me);
    expect(titles(all)).toEqual(['taxes', 'report', 'call', 'far', 'urgent', 'milk']);
    expect(all).toContain(`taxes (overdue since ${day(-1)})`);
    expect(all).toContain(`report (due ${day(2)}, high priority)\n  to Ada`);
    expect(titles(await bench.call('todo_list', { due: 'week' }, me))).toEqual(['taxes', 'report', 'call']);
    expect(titles(await bench.call('todo_list', { due: 'today' }, me))).toEqual(['taxes']);
    expect(titles(await bench.call('todo_list', { tag: 'PHONE' }, me))).toEqual(['call']);
    expect(titles(await bench.call('todo_list', { query: 'ada' }, me))).toEqual(['report']);
    expect(await bench.call('todo_complete', { id: milk }, me)).toContain(`milk (done ${day(0)})`);
    expect(titles(await bench.call('todo_list', { status: 'done' }, me))).toEqual(['milk']);
    expect(await bench.call('todo_complete', { id: milk, done: false }, me)).toMatch(/^Reopened:\n\[\w+\] milk$/);
    expect(await bench.call('todo_list', { limit: 2 }, me)).toMatch(/and 4 more$/);
  });

  it('can lose their due date, and keep what is not mentioned', async () => {
    const me = newcomer();
    const id = idIn(await bench.call('todo_add', { title: 'a', due: '2030-01-31T09:00:00+01:00', tags: ['x'] }, me));
    expect(await bench.call('todo_update', { id, title: 'b' }, me)).toContain('b (due 2030-01-31T09:00:00+01:00) #x');
    expect(await bench.call('todo_update', { id, due: null }, me)).toMatch(/\] b #x$/);
    expect(await bench.call('todo_delete', { id }, me)).toBe(`Deleted ${id}.`);
    expect(await bench.call('todo_list', {}, me)).toBe('No open todos.');
  });

  it('are not due on days that there are not', () => {
    const { parse } = { parse: (due: string) => bench.toolbox.find('todo_add')!.parse({ title: 'a', due }) };
    for (const due of ['2026-02-30', 'tomorrow', '2026-01-31T09:00:00', ''])
      expect(() => parse(due)).toThrow('todo_add: due must be a date');
  });
});

describe('the journal', () => {
  it('shows how entries begin, and all of one', async () => {
    const me = newcomer();
    const long = `Walked along the river. ${'And on. '.repeat(100)}`.trim();
    const id = idIn(
      await bench.call(
        'journal_add',
        { text: long, title: 'Sunday', mood: 'calm', date: '2026-01-04', tags: ['out'] },
        me,
      ),
    );
    await bench.call('journal_add', { text: 'Rain.', date: '2026-02-01' }, me);
    const list = await bench.call('journal_list', { to: '2026-01-31' }, me);
    expect(list).toMatch(/^1 journal page:\n\[\w+\] 2026-01-04 Sunday \(calm\) #out\n {2}Walked along the river\./);
    expect(list.length).toBeLessThan(350);
    expect(await bench.call('journal_read', { id }, me)).toBe(`[${id}] 2026-01-04 Sunday (calm) #out\n\n${long}`);
    expect(await bench.call('journal_search', { query: 'rain' }, me)).toContain('Rain.');
    expect(await bench.call('journal_update', { id, text: 'Short.' }, me)).toContain('Sunday (calm)');
    expect(await bench.call('journal_read', { id }, me)).toContain('Short.');
    await bench.call('journal_delete', { id }, me);
    expect(await bench.call('journal_list', {}, me)).toMatch(/^1 journal page:/);
  });
});

describe('memory', () => {
  it("is every agent's own, and people can look into it", async () => {
    const me = newcomer();
    const [wisp, other] = ['wisp/concierge', 'other'].map((agentId) => ({ ...me, agentId }));
    const saved = await bench.call('memory_save', { text: 'Prefers tea.', topic: 'drinks', tags: ['taste'] }, wisp);
    const id = idIn(saved);
    expect(await bench.call('memory_save', { text: 'Prefers tea.' }, wisp)).toBe(`Already remembered as [${id}].`);
    expect(await bench.call('memory_search', { query: 'TEA' }, wisp)).toContain('Prefers tea.');
    expect(await bench.call('memory_list', {}, other)).toBe('No notes.');
    expect(await bench.call('memory_search', { query: 'tea' }, other)).toBe('No matching notes.');
    await expect(bench.call('memory_forget', { id }, other)).rejects.toThrow('No memory with the ID');
    await expect(bench.call('memory_list', { agent: 'wisp/concierge' }, other)).rejects.toThrow('only its own memory');
    await expect(bench.call('memory_forget', { id, agent: 'wisp/concierge' }, other)).rejects.toThrow(
      'only its own memory',
    );
    const person = { ...PERSON, ...me };
    expect(await bench.call('memory_list', { agent: 'wisp/concierge' }, person)).toContain(
      'drinks #taste\n  Prefers tea.',
    );
    expect(await bench.call('memory_list', {}, person)).toBe('No notes.');
    await bench.call('memory_forget', { id, agent: 'wisp/concierge' }, person);
    expect(await bench.call('memory_list', {}, wisp)).toBe('No notes.');
  });
});

describe('what belongs to somebody else', () => {
  it.each([
    [
      'reading_list_add',
      { url: 'https://a.example/' },
      ['reading_list_mark_read', 'reading_list_update', 'reading_list_delete'],
      'reading_list_list',
    ],
    ['todo_add', { title: 'a' }, ['todo_complete', 'todo_update', 'todo_delete'], 'todo_list'],
    ['journal_add', { text: 'a' }, ['journal_read', 'journal_update', 'journal_delete'], 'journal_list'],
    ['memory_save', { text: 'a' }, ['memory_forget'], 'memory_list'],
  ])('does not exist (%s)', async (add, input, uses, list) => {
    const id = idIn(await bench.call(add, input, newcomer()));
    const stranger = newcomer();
    for (const use of uses) await expect(bench.call(use, { id }, stranger)).rejects.toThrow(/^No \w+ with the ID/);
    expect(await bench.call(list, {}, stranger)).toMatch(/^No /);
  });
});

describe('asking the person', () => {
  it('gives the answer as JSON, or says that there is none, and can be taken up again', async () => {
    bench.answer = { text: 'blue', values: undefined };
    expect(await bench.call('ask_user', { question: 'Which colour?' })).toBe('{"text":"blue"}');
    bench.answer = { values: { size: 3 } };
    const fields = [{ name: 'size', type: 'integer' as const, required: true }];
    expect(await bench.call('ask_user', { question: 'How big?', fields })).toBe('{"values":{"size":3}}');
    bench.answer = null;
    expect(await bench.call('ask_user', { question: 'May I?' })).toBe('The user declined to answer.');
    expect(bench.questions.at(-2)).toEqual({ question: 'How big?', fields });
    const tool = bench.toolbox.find('ask_user')!;
    expect(tool.resumable).toBe(true);
    const ask = (...fields: object[]) => tool.parse({ question: 'q', fields });
    expect(() => ask({ name: 'a', type: 'choice' })).toThrow('a choice field needs options');
    expect(() => ask({ name: 'a', type: 'text' }, { name: 'a', type: 'text' })).toThrow('field names must be unique');
  });
});

describe('the system tools', () => {
  it('tell the time, anywhere', async () => {
    expect(await bench.call('system_time')).toMatch(/UTC \(\d{4}-\d\d-\d\dT[\d:.]+Z\)$/);
    expect(await bench.call('system_time', { timeZone: 'Asia/Tokyo' })).toMatch(/GMT\+9|JST/);
    await expect(bench.call('system_time', { timeZone: 'Moon/Crater' })).rejects.toThrow('Unknown time zone');
  });

  it('give the rest of an output that was cut, whole characters at a time', async () => {
    const whole = `${'é'.repeat(10_000)}end`;
    bench.outputs.set('ada s1 call-1', whole);
    const first = await bench.call('system_tool_output', { callId: 'call-1', offset: 0, length: 11_999 });
    expect(first).toMatch(/^\[bytes 0 to 11998 of 20003; continue with offset 11998\]\né+$/);
    const second = await bench.call('system_tool_output', { callId: 'call-1', offset: 11_998 });
    expect(second).toMatch(/^\[bytes 11998 to 20003 of 20003\]\né+end$/);
    expect(first.split('\n')[1]! + second.split('\n')[1]!).toBe(whole);
    expect(await bench.call('system_tool_output', { callId: 'call-1', offset: 90_000 })).toBe(
      '[bytes 20003 to 20003 of 20003]\n',
    );
    await expect(bench.call('system_tool_output', { callId: 'call-1' }, { sessionId: 's2' })).rejects.toThrow(
      'No output found',
    );
  });
});

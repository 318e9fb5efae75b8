import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PanelCommand, PanelInventory } from '../../contract/panels.ts';
import { until } from '../harness/parley.ts';
import { callAsTold, resultsIn } from './calling.ts';
import { TestServer } from './test-server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await TestServer.start({ agents: [{ agentId: 'ada', toolAllowlist: ['panels_*'] }] });
  server.provider.script(callAsTold);
});
afterAll(() => server.close());

const groceries = {
  panelId: 'panel-1',
  panelType: 'list',
  title: 'Groceries',
  item: { type: 'list', id: 'list-1', name: 'Groceries' },
  view: null,
  selection: ['item-1', 'item-2'],
} as const satisfies PanelInventory['panels'][number];

type Reply = (command: PanelCommand) => { done: boolean; panelId: string | null } | null;

/** An open page: its stream, its inventory, and what it does with commands. */
class Page {
  readonly clientId: string;
  readonly sessionId: string;
  readonly commands: PanelCommand[] = [];
  readonly #leave = new AbortController();

  private constructor(sessionId: string, clientId: string) {
    this.sessionId = sessionId;
    this.clientId = clientId;
  }

  static async open(sessionId: string, clientId: string, reply: Reply = () => null): Promise<Page> {
    const page = new Page(sessionId, clientId);
    const stream = server.parley.events(`/api/sessions/${sessionId}/events?after=0`, {}, page.#leave.signal);
    await stream.next();
    void page.#follow(stream, reply);
    return page;
  }

  show(inventory: Partial<PanelInventory> = {}) {
    const body = { clientId: this.clientId, panels: [groceries], selectedPanelId: 'panel-1', isVisible: true };
    return server.call('pushPanels', { params: { sessionId: this.sessionId }, body: { ...body, ...inventory } });
  }

  close(): void {
    this.#leave.abort();
  }

  async #follow(stream: AsyncIterable<{ type: string; data: unknown }>, reply: Reply): Promise<void> {
    for await (const { type, data } of stream) {
      if (type !== 'panel.command') continue;
      const command = data as PanelCommand;
      this.commands.push(command);
      const result = command.clientId === this.clientId ? reply(command) : null;
      const body = { clientId: this.clientId, ...result };
      if (result) await server.ask('reportPanelCommand', { params: { commandId: command.commandId }, body });
    }
  }
}

/** What a tool answers to an agent of the session. */
async function use(sessionId: string, tool: string, input: object = {}): Promise<string> {
  const { message } = await server.say(sessionId, `call ${tool} ${JSON.stringify(input)}`);
  const answer = (await server.messages(sessionId)).find(({ seq }) => seq! > message.seq!)!;
  return resultsIn(answer)[0]!.output;
}

describe('the panels beside a session', () => {
  test('are told to its agents, and what is in them when they ask for it', async () => {
    const sessionId = await server.open();
    const page = await Page.open(sessionId, 'page-1');
    const preview = {
      ...groceries,
      panelId: 'panel-2',
      panelType: 'preview',
      title: 'Drawing',
      item: null,
      selection: [],
    };
    await page.show({ panels: [groceries, preview as PanelInventory['panels'][number]] });
    const { item, view: _, selection, ...facts } = groceries;
    const second = { panelId: 'panel-2', panelType: 'preview', title: 'Drawing', isSelected: false };
    expect(JSON.parse(await use(sessionId, 'panels_list'))).toEqual({
      panels: [{ ...facts, isSelected: true }, second],
      isVisible: true,
    });
    expect(JSON.parse(await use(sessionId, 'panels_list', { includeContext: true })).panels).toEqual([
      { ...facts, isSelected: true, item, selection },
      { ...second, selection: [] },
    ]);
    expect(JSON.parse(await use(sessionId, 'panels_selected', { includeContext: true }))).toEqual({
      ...facts,
      isSelected: true,
      item,
      selection,
      isVisible: true,
    });
    await page.show({ selectedPanelId: null });
    expect(await use(sessionId, 'panels_selected')).toBe('No panel is selected.');
    expect(await use(await server.open(), 'panels_list')).toBe('No page shows this session, so no panel is open.');
    page.close();
  });

  test('are opened, closed and selected by the one page that the person sees', async () => {
    const sessionId = await server.open();
    const asked: unknown[] = [];
    const page = await Page.open(sessionId, 'seen', ({ command }) => {
      asked.push(command);
      return { done: command.do !== 'open' || command.artifactId !== 'gone', panelId: 'panel-9' };
    });
    const other = await Page.open(sessionId, 'in-the-background');
    await page.show();
    await other.show({ isVisible: false });
    expect(await use(sessionId, 'panels_open', { type: 'note', id: 'note-1' })).toBe('Opened as panel panel-9.');
    expect(await use(sessionId, 'panels_select', { panelId: 'panel-1', items: ['item-2'] })).toBe(
      'Selected panel panel-1 with 1 items.',
    );
    expect(await use(sessionId, 'panels_close', { panelId: 'panel-1' })).toBe('Closed panel panel-1.');
    expect(await use(sessionId, 'panels_open', { type: 'note', id: 'gone' })).toMatch(/^The page could not do that/);
    expect(asked).toEqual([
      { do: 'open', panelType: 'note', artifactId: 'note-1' },
      { do: 'select', panelId: 'panel-1', selection: ['item-2'] },
      { do: 'close', panelId: 'panel-1' },
      { do: 'open', panelType: 'note', artifactId: 'gone' },
    ]);
    expect(other.commands.every(({ clientId }) => clientId === 'seen')).toBe(true);
    for (const one of [page, other]) one.close();
  });

  test.concurrent('cannot be changed where nobody looks, and the agent is told why', async () => {
    const sessionId = await server.open();
    expect(await use(sessionId, 'panels_open', { type: 'note' })).toMatch(/^No page shows this session/);
    const page = await Page.open(sessionId, 'slow');
    await page.show({ isVisible: false });
    expect(await use(sessionId, 'panels_open', { type: 'note' })).toMatch(/does not see the page now/);
    await page.show();
    expect(await use(sessionId, 'panels_close', { panelId: 'panel-7' })).toMatch(/^No such panel is open/);
    expect(await use(sessionId, 'panels_close', { panelId: 'panel-1' })).toMatch(/^The page did not answer in time/);
    const { commandId } = page.commands.at(-1)!;
    const late = { clientId: 'slow', done: true, panelId: null };
    await server.refused('panel_command_not_found', 'reportPanelCommand', { params: { commandId }, body: late });
    page.close();
  }, 20_000);

  test.concurrent('are forgotten when the page leaves and when its stream ends', async () => {
    const sessionId = await server.open();
    const page = await Page.open(sessionId, 'leaving');
    await page.show();
    await page.show({ panels: [], selectedPanelId: null, isVisible: false });
    expect(await use(sessionId, 'panels_list')).toMatch(/^No page shows/);
    await page.show();
    page.close();
    await until(
      () => use(sessionId, 'panels_list'),
      (words) => words.startsWith('No page shows'),
    );
  }, 30_000);

  test('take no more of the memory than some fifty pages do', async () => {
    const sessionId = await server.open();
    const page = await Page.open(sessionId, 'many-0');
    for (let number = 0; number < 60; number++)
      await page.show({ clientId: `many-${number}`, panels: [{ ...groceries, panelId: `panel-of-${number}` }] });
    const { panels } = JSON.parse(await use(sessionId, 'panels_list'));
    expect(panels).toHaveLength(50);
    expect(panels[0].panelId).toBe('panel-of-59');
    const heavy = Array.from({ length: 20 }, (_, index) => ({
      ...groceries,
      panelId: `heavy-${index}`,
      selection: Array.from({ length: 500 }, (_, item) => `${item}`.padStart(128, 'x')),
    }));
    await page.show({ clientId: 'heavy-1', panels: heavy });
    await page.show({ clientId: 'heavy-2', panels: heavy });
    expect(JSON.parse(await use(sessionId, 'panels_list')).panels).toHaveLength(20);
    page.close();
  });

  test('are taken only for a session of the person, and results only for what was asked', async () => {
    const body = { clientId: 'page-1', panels: [], selectedPanelId: null, isVisible: true };
    await server.refused('session_not_found', 'pushPanels', { params: { sessionId: 'nobody-knows' }, body });
    const result = { clientId: 'page-1', done: true, panelId: null };
    await server.refused('panel_command_not_found', 'reportPanelCommand', {
      params: { commandId: 'nobody-knows' },
      body: result,
    });
  });
});

import { AppError } from '../../contract/errors.ts';
import { newId } from '../../contract/ids.ts';
import {
  PANEL_COMMAND_MS,
  PANELS_KEPT_MS,
  type PanelCommand,
  type PanelCommandResult,
  type PanelInventory,
} from '../../contract/panels.ts';
import { say } from '../../contract/texts.ts';
import type { EventLog } from '../events/log.ts';
import { loadSession } from '../sessions/store.ts';

/** The open streams of a person, as far as panels have to know about them. */
export interface PanelStreams {
  /** Whether one of them follows the session. */
  follows(owner: string, sessionId: string): boolean;
  /** False: none of them could take the command now. */
  panelCommand(owner: string, command: PanelCommand): boolean;
}

/** One open page that shows a session. */
interface Page extends PanelInventory {
  readonly sessionId: string;
  readonly bytes: number;
  readonly pushedAt: number;
}

interface Waiting {
  readonly owner: string;
  readonly clientId: string;
  answer(outcome: CommandOutcome): void;
}

export type CommandOutcome =
  | { readonly state: 'done'; readonly panelId: string | null }
  /** The page could not do it; no page shows the session; none that the person can see; no such panel; no answer in time. */
  | { readonly state: 'refused' | 'nobody' | 'hidden' | 'no_panel' | 'unanswered' };

const MOST_PAGES = 50;
const MOST_BYTES = 2_000_000;
/** A page that reconnects within this time need not be forgotten. */
const RECONNECT_MS = 3000;

/** What open pages show beside sessions. Only in memory: pages push it again. */
export class Panels {
  readonly #log: EventLog;
  readonly #streams: PanelStreams;
  /** By owner, then by session and page; the one that was pushed longest ago is first. */
  readonly #pages = new Map<string, Map<string, Page>>();
  readonly #waiting = new Map<string, Waiting>();

  constructor(log: EventLog, streams: PanelStreams) {
    this.#log = log;
    this.#streams = streams;
    log.bus.subscribe({
      event: ({ owner, event: { type, sessionId } }) => {
        if (type === 'session.deleted') this.#forget(owner, (page) => page.sessionId === sessionId);
      },
    });
  }

  async push(owner: string, sessionId: string, inventory: PanelInventory): Promise<void> {
    await loadSession(this.#log.db, owner, sessionId);
    const pages = this.#pages.get(owner) ?? new Map<string, Page>();
    this.#pages.set(owner, pages);
    const key = `${sessionId} ${inventory.clientId}`;
    pages.delete(key);
    if (inventory.panels.length > 0 || inventory.isVisible)
      pages.set(key, { ...inventory, sessionId, bytes: JSON.stringify(inventory).length, pushedAt: Date.now() });
    makeRoom(pages);
    if (!this.#streams.follows(owner, sessionId)) this.streamEnded(owner);
  }

  /** The pages that show a session: those that the person can see first, then the one that was pushed last. */
  of(owner: string, sessionId: string): readonly PanelInventory[] {
    this.#forget(owner, ({ pushedAt }) => pushedAt < Date.now() - PANELS_KEPT_MS);
    const pages = [...(this.#pages.get(owner)?.values() ?? [])].reverse();
    const shown = pages.filter((page) => page.sessionId === sessionId);
    return [...shown.filter(({ isVisible }) => isVisible), ...shown.filter(({ isVisible }) => !isVisible)];
  }

  /** A stream of the person has ended. Pages of sessions that none follows soon after are gone. */
  streamEnded(owner: string): void {
    if (!this.#pages.has(owner)) return;
    const forget = () => this.#forget(owner, ({ sessionId }) => !this.#streams.follows(owner, sessionId));
    setTimeout(forget, RECONNECT_MS).unref();
  }

  /** Asks a page that the person can see, and waits for what it made of it. */
  async command(
    owner: string,
    sessionId: string,
    command: PanelCommand['command'],
    signal: AbortSignal,
  ): Promise<CommandOutcome> {
    const pages = this.of(owner, sessionId);
    if (pages.length === 0) return { state: 'nobody' };
    const having = command.do === 'open' ? pages : pages.filter((page) => hasPanel(page, command.panelId));
    if (having.length === 0) return { state: 'no_panel' };
    const page = having.find(({ isVisible }) => isVisible);
    if (!page) return { state: 'hidden' };
    const { clientId } = page;
    const sent = { type: 'panel.command' as const, sessionId, clientId, commandId: newId(), command };
    return this.#send(owner, sent, signal);
  }

  report(owner: string, commandId: string, { clientId, done, panelId }: PanelCommandResult): void {
    const waiting = this.#waiting.get(commandId);
    if (waiting?.owner !== owner || waiting.clientId !== clientId)
      throw new AppError('panel_command_not_found', say('panel_command_not_found', { id: commandId }));
    waiting.answer(done ? { state: 'done', panelId } : { state: 'refused' });
  }

  async #send(owner: string, command: PanelCommand, signal: AbortSignal): Promise<CommandOutcome> {
    const { commandId, clientId } = command;
    const { promise, resolve: answer } = Promise.withResolvers<CommandOutcome>();
    const giveUp = () => answer({ state: 'unanswered' });
    this.#waiting.set(commandId, { owner, clientId, answer });
    const timer = setTimeout(giveUp, PANEL_COMMAND_MS);
    signal.addEventListener('abort', giveUp, { once: true });
    if (!this.#streams.panelCommand(owner, command)) giveUp();
    const outcome = await promise;
    clearTimeout(timer);
    signal.removeEventListener('abort', giveUp);
    this.#waiting.delete(commandId);
    return outcome;
  }

  #forget(owner: string, isGone: (page: Page) => boolean): void {
    const pages = this.#pages.get(owner);
    for (const [key, page] of pages ?? []) if (isGone(page)) pages!.delete(key);
    if (pages?.size === 0) this.#pages.delete(owner);
  }
}

function hasPanel({ panels }: PanelInventory, panelId: string): boolean {
  return panels.some((panel) => panel.panelId === panelId);
}

/** What one person's pages may take of the memory. Those that were pushed longest ago go first. */
function makeRoom(pages: Map<string, Page>): void {
  let bytes = [...pages.values()].reduce((sum, page) => sum + page.bytes, 0);
  for (const [key, page] of pages) {
    if (pages.size <= MOST_PAGES && bytes <= MOST_BYTES) return;
    bytes -= page.bytes;
    pages.delete(key);
  }
}

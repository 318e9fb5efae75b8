import { MOST_SELECTED } from '../../contract/context-line.ts';
import { ID_PATTERN } from '../../contract/id-pattern.ts';
import { newId } from '../../contract/ids.ts';
import { PUSH_PANELS_EVERY_MS } from '../../contract/panel-times.ts';
import type { PanelInventory, PanelState } from '../../contract/panels.ts';
import type { Live } from '../live/live.ts';
import { layoutOf, onPanels, selectionOf } from './open-panels.ts';
import { titleOf } from './panel-context.ts';
import { type OpenPanel, panelsOf } from './panel-layout.ts';

/** This page, for as long as it is open. */
export const CLIENT_ID = newId();

const SETTLE_MS = 120;
const MOST_TITLE = 200;
const MOST_QUERY = 4000;

/** Tells the server what this page shows beside a session, until the session is left. Gives back how to leave it. */
export function followPanels(live: Live, sessionId: string): () => void {
  const pusher = new Pusher(live, sessionId);
  const soon = () => pusher.soon();
  const now = () => pusher.now();
  const leave = () => pusher.leave();
  const ends = [
    onPanels(soon),
    live.store.subscribe((state, before) => {
      if (state.connection === 'open' && before.connection !== 'open') pusher.now();
    }),
  ];
  const timer = setInterval(now, PUSH_PANELS_EVERY_MS);
  document.addEventListener('visibilitychange', now);
  addEventListener('pagehide', leave);
  addEventListener('pageshow', now);
  now();
  return () => {
    for (const end of ends) end();
    clearInterval(timer);
    document.removeEventListener('visibilitychange', now);
    removeEventListener('pagehide', leave);
    removeEventListener('pageshow', now);
    leave();
  };
}

/** One push at a time; what changes meanwhile goes with the next one. */
class Pusher {
  readonly #live: Live;
  readonly #sessionId: string;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isBusy = false;
  #isWanted = false;
  #isLeft = false;
  /** What the server has been told last; changes of what is not told are no reason to push. */
  #told = '';

  constructor(live: Live, sessionId: string) {
    this.#live = live;
    this.#sessionId = sessionId;
  }

  soon(): void {
    this.#timer ??= setTimeout(() => void this.#push(false), SETTLE_MS);
  }

  now(): void {
    this.#isLeft = false;
    void this.#push(true);
  }

  /** Sent even while the page goes away. */
  leave(): void {
    this.#isLeft = true;
    void this.#send({ clientId: CLIENT_ID, panels: [], selectedPanelId: null, isVisible: false }, true);
  }

  async #push(isForced: boolean): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#isBusy) {
      this.#isWanted = true;
      return;
    }
    const inventory = inventoryOf(this.#sessionId);
    const written = JSON.stringify(inventory);
    if (this.#isLeft || (!isForced && written === this.#told)) return;
    this.#told = written;
    this.#isBusy = true;
    await this.#send(inventory, false);
    this.#isBusy = false;
    if (!this.#isWanted) return;
    this.#isWanted = false;
    await this.#push(false);
  }

  /** What was not taken is told again with the next change, or within a minute. */
  async #send(body: PanelInventory, keepalive: boolean): Promise<void> {
    const { client } = this.#live;
    await client.call('pushPanels', { sessionId: this.#sessionId, body, keepalive }).catch(() => {
      this.#told = '';
    });
  }
}

function inventoryOf(sessionId: string): PanelInventory {
  const layout = layoutOf(sessionId);
  return {
    clientId: CLIENT_ID,
    panels: panelsOf(layout).map(stateOf),
    selectedPanelId: layout.selectedId,
    isVisible: !document.hidden,
  };
}

function stateOf(panel: OpenPanel): PanelState {
  const { id, type, facts } = panel;
  const { item = null, view = null } = facts ?? {};
  return {
    panelId: id,
    panelType: type,
    title: cut(titleOf(panel), MOST_TITLE),
    item: item && { type: item.type, id: item.id, name: cut(item.name, MOST_TITLE) },
    view: view && { name: cut(view.name, MOST_TITLE), query: cut(view.query, MOST_QUERY) },
    selection: selectionOf(id)
      .filter((one) => ID_PATTERN.test(one))
      .slice(0, MOST_SELECTED),
  };
}

function cut(words: string, length: number): string {
  return words.slice(0, length).toWellFormed();
}

import { createStore, type StoreApi } from 'zustand/vanilla';
import type { ParleyClient } from '../../client/parley-client.ts';
import type { ArtifactChanged, ArtifactRemoved, ArtifactsMissed } from '../../contract/artifacts.ts';
import { AppError } from '../../contract/errors.ts';
import type { SessionEvent, StreamFrame } from '../../contract/events.ts';
import type { PanelCommand } from '../../contract/panels.ts';
import type { Session } from '../../contract/sessions.ts';
import type { TurnList } from '../../contract/turns.ts';
import { Flow, SerialByKey } from './flow.ts';
import { applyFrames, isEvent, type SessionFrame } from './frames.ts';
import { Leader } from './leader.ts';
import { type Connection, type LiveState, NOTHING } from './live-state.ts';
import { MissingText } from './missing-text.ts';
import {
  type EarlierPage,
  HISTORY_PAGE,
  isBroken,
  readBack,
  readConversation,
  readTurnsBack,
  withState,
} from './read-conversation.ts';

const LIST_PAGE = 100;

/** This tab's view of the server: one stream, one reducer, and whatever conversations are open. */
export type ArtifactFrame = ArtifactChanged | ArtifactsMissed | ArtifactRemoved;
export type KnowledgeFrame = Extract<StreamFrame, { type: `knowledge.${string}` }>;

export class Live {
  readonly client: ParleyClient;
  readonly store: StoreApi<LiveState> = createStore<LiveState>()(() => NOTHING);
  readonly #flow: Flow;
  readonly #leader: Leader;
  readonly #missingText: MissingText;
  /** Where this tab would go on if it had to hold the stream itself. */
  #cursor = '0';
  /** Sessions that are being asked for because something happened in them. */
  readonly #strangers = new Set<string>();
  /** What is being read of a conversation: one thing at a time, so that no page is read twice or out of order. */
  readonly #reading = new SerialByKey();
  /** The oldest turn that is loaded, and where older ones go on, by session. */
  readonly #oldestTurns = new Map<string, TurnList>();
  readonly #toolSessions = new Set<(session: Session) => void>();
  readonly #artifacts = new Set<(frame: ArtifactFrame) => void>();
  readonly #knowledge = new Set<(frame: KnowledgeFrame) => void>();
  readonly #panelCommands = new Set<(command: PanelCommand) => void>();
  readonly #stop = new AbortController();
  /** Ends the pause before the next attempt to connect. */
  #pause = new AbortController();
  #isFollowing = false;

  constructor(client: ParleyClient) {
    this.client = client;
    this.#leader = new Leader({
      frame: (frame) => this.#receive(frame),
      cursor: (cursor) => {
        this.#cursor = cursor;
      },
      connection: (state) => this.#note(state),
      hurry: () => this.#hurry(),
    });
    this.#flow = new Flow((frames) => {
      this.#change((state) => applyFrames(state, frames));
      const events = frames.filter(isEvent).filter(({ type }) => type !== 'session.deleted');
      this.#meet(events.map(({ sessionId }) => sessionId));
      this.#announce(events);
      this.#mend(events);
      this.#missingText.askWhereNeeded(frames.map(({ sessionId }) => sessionId));
    });
    this.#missingText = new MissingText({
      client,
      stateOf: (sessionId) => this.store.getState().states.get(sessionId),
      apply: (frames) => this.#flow.pushNow(frames),
      signal: this.#stop.signal,
    });
  }

  /** Reads the list, then follows everything that happens after it. */
  async start(): Promise<void> {
    try {
      this.#cursor = String(await this.#list());
      this.#note('open');
      this.#isFollowing = true;
      void this.#leader.lead(() => this.#follow(), this.#stop.signal);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Tries to connect at once, in whichever tab holds the stream. */
  reconnect(): void {
    if (this.#isFollowing) this.#leader.tell({ kind: 'hurry' });
    else void this.start();
  }

  /** Applies what has been gathered, without waiting for the next timer. */
  catchUp(): void {
    this.#flow.flush();
  }

  stop(): void {
    this.#stop.abort();
    this.#leader.close();
  }

  /** Loads a conversation unless it is here already, at least `back` to a place; it stays up to date from then on. */
  async open(sessionId: string, back = Number.POSITIVE_INFINITY): Promise<void> {
    this.#flow.watch(sessionId);
    await this.#reading.inOrder(sessionId, async () => {
      const known = this.store.getState().states.get(sessionId);
      if (!known || isBroken(known)) await this.#load(sessionId, back);
      else this.#change((state) => ({ ...state, states: withState(state.states, known) }));
    });
    await this.loadBack(sessionId, back);
  }

  /** The page before what is loaded. */
  loadEarlier(sessionId: string): Promise<void> {
    return this.#reading.inOrder(sessionId, async () => {
      const before = this.store.getState().earlier.get(sessionId);
      if (typeof before !== 'number') return;
      const page = await this.client.call('listMessages', { sessionId, query: { before, limit: HISTORY_PAGE } });
      await this.#prepend(sessionId, before, page);
    });
  }

  /** Everything from a place on, however long ago that was. */
  loadBack(sessionId: string, seq: number): Promise<void> {
    return this.#reading.inOrder(sessionId, async () => {
      const before = this.store.getState().earlier.get(sessionId);
      if (typeof before !== 'number' || before <= seq) return;
      await this.#prepend(sessionId, before, await readBack(this.client, sessionId, { messages: [], before }, seq));
    });
  }

  async loadMoreSessions(): Promise<void> {
    const { nextPage } = this.store.getState();
    if (nextPage === null) return;
    const page = await this.client.call('listSessions', { query: { limit: LIST_PAGE, cursor: nextPage } });
    this.#change((state) => ({ ...state, nextPage: page.next, sessions: withSessions(state.sessions, page.sessions) }));
  }

  /** Archived sessions are read when their list is opened, a page at a time. */
  async loadArchived(): Promise<void> {
    const { nextArchived } = this.store.getState();
    if (nextArchived === null) return;
    const cursor = nextArchived === undefined ? {} : { cursor: nextArchived };
    const page = await this.client.call('listSessions', { query: { limit: LIST_PAGE, archived: 'true', ...cursor } });
    this.#change((state) => ({
      ...state,
      nextArchived: page.next,
      sessions: withSessions(state.sessions, page.sessions),
    }));
  }

  /** Asks for a session that no page has brought yet. */
  meet(sessionId: string): void {
    this.#meet([sessionId]);
  }

  /** Tells of every session that a tool begins from now on. */
  onToolSession(listener: (session: Session) => void): () => void {
    this.#toolSessions.add(listener);
    return () => this.#toolSessions.delete(listener);
  }

  /** Changes of lists, notes, views and files, as they happen. */
  onArtifact(listener: (frame: ArtifactFrame) => void): () => void {
    this.#artifacts.add(listener);
    return () => this.#artifacts.delete(listener);
  }

  /** Changes of what agents can search, and how far it has been read, as they happen. */
  onKnowledge(listener: (frame: KnowledgeFrame) => void): () => void {
    this.#knowledge.add(listener);
    return () => this.#knowledge.delete(listener);
  }

  /** Tells of what agents ask of the panels of any page. */
  onPanelCommand(listener: (command: PanelCommand) => void): () => void {
    this.#panelCommands.add(listener);
    return () => this.#panelCommands.delete(listener);
  }

  /** What the server answered to a change need not wait for its event. */
  note(session: Session): void {
    this.#change((state) => ({ ...state, sessions: withSessions(state.sessions, [session]) }));
  }

  async #list(): Promise<number> {
    const [list, pinned, { actions }] = await Promise.all([
      this.client.call('listSessions', { query: { limit: LIST_PAGE } }),
      this.client.call('listSessions', { query: { limit: LIST_PAGE, pinned: 'true' } }),
      this.client.call('listActions', { query: { limit: 500 } }),
    ]);
    const sessions = [...list.sessions, ...pinned.sessions];
    this.#change((state) => ({
      ...state,
      isListed: true,
      nextPage: list.next,
      nextArchived: undefined,
      sessions: withSessions(new Map(), sessions),
      actions: new Map(actions.map((action) => [action.id, action])),
    }));
    this.#meet(actions.flatMap(({ sessionId, chain }) => [sessionId, ...chain.map((link) => link.sessionId)]));
    return list.position;
  }

  async #load(sessionId: string, back: number): Promise<void> {
    const { state: loaded, before, oldestTurn } = await readConversation(this.client, sessionId, back);
    this.#oldestTurns.set(sessionId, oldestTurn);
    const session = loaded.session!;
    this.#change((state) => ({
      ...state,
      states: withState(state.states, loaded),
      earlier: new Map(state.earlier).set(sessionId, before),
      sessions: withSessions(state.sessions, [session]),
    }));
    this.#flow.replay(sessionId, session.lastSeq);
  }

  /** With what became of it. */
  async #prepend(sessionId: string, to: number, { messages, before }: EarlierPage): Promise<void> {
    const oldest = this.#oldestTurns.get(sessionId) ?? { turns: [], next: null };
    const { turns, next } = await readTurnsBack(this.client, sessionId, oldest, messages[0]);
    this.#oldestTurns.set(sessionId, { turns: turns.slice(-1), next });
    this.#change((state) => {
      const known = state.states.get(sessionId);
      // Unless the conversation was loaded anew meanwhile: then there would be a gap.
      if (!known || state.earlier.get(sessionId) !== to) return state;
      const earlier = {
        ...known,
        messages: new Map([...messages.map((message) => [message.id, message] as const), ...known.messages]),
        turns: new Map([...turns.toReversed().map((turn) => [turn.id, turn] as const), ...known.turns]),
      };
      return {
        ...state,
        states: new Map(state.states).set(sessionId, earlier),
        earlier: new Map(state.earlier).set(sessionId, before),
      };
    });
  }

  #announce(events: readonly SessionEvent[]): void {
    for (const event of events) {
      if (event.type !== 'session.created' || event.session.type !== 'tool-execution') continue;
      for (const listener of this.#toolSessions) listener(event.session);
    }
  }

  /** The conversation that is being watched is read again when something of it was missed, as far back as it was here. */
  #mend(events: readonly SessionEvent[]): void {
    for (const sessionId of new Set(events.map((event) => event.sessionId))) {
      const known = this.store.getState().states.get(sessionId);
      if (!known || !isBroken(known) || !this.#flow.isWatched(sessionId) || this.#reading.isBusy(sessionId)) continue;
      const back = this.store.getState().earlier.get(sessionId) ?? 0;
      void this.#reading.inOrder(sessionId, () => this.#load(sessionId, back)).catch(() => undefined);
    }
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stop;
    const onConnection = (state: 'open' | 'lost') => this.#leader.tell({ kind: 'connection', state });
    const onCursor = (cursor: string) => this.#leader.tell({ kind: 'cursor', cursor });
    const hurry = () => this.#pause.signal;
    try {
      for await (const frame of this.client.events({ after: this.#cursor, signal, onConnection, onCursor, hurry }))
        this.#leader.tell({ kind: 'frame', frame });
    } catch (error) {
      this.#fail(error);
    }
  }

  #hurry(): void {
    this.#pause.abort();
    this.#pause = new AbortController();
  }

  #receive(frame: StreamFrame): void {
    switch (frame.type) {
      case 'reset':
        void this.#startAnew();
        break;
      case 'configuration.changed':
        this.#change((state) => ({ ...state, configurationVersion: state.configurationVersion + 1 }));
        break;
      case 'templates.changed':
        this.#change((state) => ({ ...state, templatesVersion: state.templatesVersion + 1 }));
        break;
      case 'memory.changed':
        this.#change((state) => ({ ...state, memoryVersion: state.memoryVersion + 1 }));
        break;
      case 'webhooks.changed':
        this.#change((state) => ({ ...state, webhooksVersion: state.webhooksVersion + 1 }));
        break;
      case 'panel.command':
        for (const listener of this.#panelCommands) listener(frame);
        break;
      case 'artifact.changed':
      case 'artifacts.missed':
      case 'artifact.removed':
        for (const listener of this.#artifacts) listener(frame);
        break;
      case 'knowledge.changed':
      case 'knowledge.removed':
      case 'knowledge.missed':
        for (const listener of this.#knowledge) listener(frame);
        break;
      case 'server.stopping':
        this.#note('stopping');
        break;
      default:
        this.#flow.push(frame satisfies SessionFrame);
    }
  }

  /** The server no longer keeps what we missed. */
  async #startAnew(): Promise<void> {
    const open = [...this.store.getState().states.keys()];
    await this.#list().catch(() => undefined);
    const again = (id: string) => this.#reading.inOrder(id, () => this.#load(id, Number.POSITIVE_INFINITY));
    await Promise.all(open.map((sessionId) => again(sessionId).catch(() => undefined)));
  }

  /** What happens in a session that no page has brought yet brings it. */
  #meet(sessionIds: readonly string[]): void {
    const { sessions } = this.store.getState();
    for (const id of new Set(sessionIds)) {
      if (sessions.has(id) || this.#strangers.has(id)) continue;
      this.#strangers.add(id);
      const asked = this.client.call('getSession', { sessionId: id }).then((session) => this.note(session));
      // It may be gone by now.
      void asked.catch(() => undefined).finally(() => this.#strangers.delete(id));
    }
  }

  #fail(error: unknown): void {
    if (this.#stop.signal.aborted) return;
    this.#note(error instanceof AppError && error.code === 'unauthorized' ? 'signed-out' : 'lost');
  }

  #note(connection: Connection): void {
    this.#change((state) => (state.connection === connection ? state : withConnection(state, connection)));
  }

  #change(next: (state: LiveState) => LiveState): void {
    this.store.setState(next, true);
  }
}

/** What is told live and is not numbered may have been missed while the page was not connected. */
function withConnection(state: LiveState, connection: Connection): LiveState {
  if (state.connection !== 'lost' || connection !== 'open') return { ...state, connection };
  const { configurationVersion, templatesVersion, memoryVersion, webhooksVersion } = state;
  return {
    ...state,
    connection,
    configurationVersion: configurationVersion + 1,
    templatesVersion: templatesVersion + 1,
    memoryVersion: memoryVersion + 1,
    webhooksVersion: webhooksVersion + 1,
  };
}

function withSessions(known: LiveState['sessions'], sessions: readonly Session[]): LiveState['sessions'] {
  const all = new Map(known);
  for (const session of sessions) {
    const before = all.get(session.id);
    if (!before || before.lastSeq <= session.lastSeq) all.set(session.id, session);
  }
  return all;
}

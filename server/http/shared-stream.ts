import type { ConfigurationState } from '../../contract/agents.ts';
import { AppError } from '../../contract/errors.ts';
import type { PanelCommand } from '../../contract/panels.ts';
import { type EventFrame, type Frame, type PartialSource, type StoredEvent, toFrame } from '../events/bus.ts';
import type { EventLog } from '../events/log.ts';
import type { EventCursor, EventPage, EventReplay } from '../events/replay.ts';
import type { FeedListener, GatheredDelta, SharedFeed } from '../events/shared-feed.ts';
import { endOfEpoch, newestPosition, positionOf, prunedPosition } from '../events/store.ts';
import { loadSession } from '../sessions/store.ts';
import type { Db } from '../storage/tables.ts';
import type { SseConnection } from './sse.ts';

/** What of the log one stream shows, and how it counts it. */
export interface StreamView {
  wants(sessionId: string): boolean;
  /** The number a client resumes from. */
  idOf(event: EventFrame): number;
  /** Events after a number, one page, oldest first. */
  read(after: number): Promise<EventPage>;
  /** Whether what a client knows up to a number, from an epoch, is the beginning of the history as it is now. */
  isPast(number: number, epoch: string): Promise<boolean>;
  /** Where a stream without a cursor begins, and the oldest cursor that can be resumed. */
  bounds(): Promise<{ newest: number; oldest: number }>;
}

export function allSessionsView(
  db: Db,
  replay: EventReplay,
  owner: string,
  only: ReadonlySet<string> | null,
): StreamView {
  return {
    wants: (sessionId) => only === null || only.has(sessionId),
    idOf: (event) => event.position,
    read: (after) => replay.ofOwner(owner, after),
    isPast: async (position, epoch) => {
      const end = await endOfEpoch(db, epoch);
      return end !== undefined && (end === null || position <= end);
    },
    bounds: async () => ({ newest: await newestPosition(db), oldest: await prunedPosition(db) }),
  };
}

export async function oneSessionView(
  db: Db,
  replay: EventReplay,
  owner: string,
  sessionId: string,
): Promise<StreamView> {
  await loadSession(db, owner, sessionId);
  return {
    wants: (id) => id === sessionId,
    idOf: (event) => event.seq,
    read: (after) => replay.ofSession(sessionId, after),
    isPast: async (seq, epoch) => {
      const end = await endOfEpoch(db, epoch);
      if (end === undefined || end === null || seq === 0) return end !== undefined;
      const position = await positionOf(db, sessionId, seq);
      return position !== undefined && position <= end;
    },
    bounds: async () => {
      const session = await loadSession(db, owner, sessionId);
      return { newest: session.event_seq, oldest: session.event_floor };
    },
  };
}

export interface StreamDeps {
  readonly connection: SseConnection;
  readonly log: EventLog;
  readonly owner: string;
  readonly view: StreamView;
  readonly partials: PartialSource;
  /** Whether live text is sent. */
  readonly deltas: boolean;
  /** Whether the owner has artifacts, whose changes a client that was away can have missed. */
  hasArtifacts(): Promise<boolean>;
}

/** What is not in the log and is told once the client is no longer behind. */
interface Missed {
  configuration?: ConfigurationState;
  templates?: true;
  artifacts?: true;
  knowledge?: true;
  memory?: true;
  webhooks?: true;
}

/**
 * One client's view of what happens: durable events after its cursor, then what running turns have said so far, then
 * everything live. A client for which more waits than may is behind: live events are no longer sent, and as soon as it
 * has taken what waits, it goes on from the log as if it had just connected.
 */
export class SharedStream implements FeedListener {
  readonly #log: EventLog;
  readonly #connection: SseConnection;
  readonly #owner: string;
  readonly #view: StreamView;
  readonly #partials: PartialSource;
  readonly #deltas: boolean;
  readonly #hasArtifacts: StreamDeps['hasArtifacts'];
  #isBehind = true;
  /** The newest event that happened while the client was behind. */
  #newest = 0;
  #cursor = 0;
  #missed: Missed = {};
  /** Sessions in which turns run whose text so far has not been sent yet, so that further text would not fit on. */
  readonly #withoutText = new Set<string>();

  constructor({ connection, log, owner, view, partials, deltas, hasArtifacts }: StreamDeps) {
    this.#connection = connection;
    this.#log = log;
    this.#owner = owner;
    this.#view = view;
    this.#partials = partials;
    this.#deltas = deltas;
    this.#hasArtifacts = hasArtifacts;
  }

  async begin(feed: SharedFeed, after: EventCursor | undefined): Promise<() => void> {
    const unsubscribe = feed.subscribe(this);
    try {
      const { newest, oldest } = await this.#view.bounds();
      this.#cursor = after?.number ?? newest;
      if (after && (await this.#hasArtifacts())) this.#missed.artifacts = true;
      await this.#log.cursorAt(newest);
      if (after?.epoch && !(await this.#view.isPast(after.number, after.epoch))) this.#reset(newest);
      else this.#resetIfOutside(newest, oldest);
      await this.#catchUp();
    } catch (error) {
      unsubscribe();
      this.#connection.end();
      if (!(error instanceof AppError)) throw error;
    }
    return unsubscribe;
  }

  #resetIfOutside(newest: number, oldest: number): void {
    if (this.#cursor > newest || this.#cursor < oldest) this.#reset(newest);
  }

  #reset(newest: number): void {
    this.#cursor = newest;
    this.#connection.sendObject({ type: 'reset', position: newest } as { type: string }, this.#log.cursorNow(newest));
  }

  /** Reads the log at the pace of the client until nothing newer is there, and goes live in that same moment. */
  async #catchUp(): Promise<void> {
    while (!this.#connection.isClosed) {
      const newest = this.#newest;
      const { events, isLast } = await this.#view.read(this.#cursor);
      for (const event of events) if (!this.#deliver(event)) await this.#deliverLater(event);
      if (isLast && newest === this.#newest) return this.#goLive();
      await this.#connection.drained();
    }
  }

  async #deliverLater(event: EventFrame): Promise<void> {
    do await this.#connection.drained();
    while (!this.#deliver(event));
  }

  /** Events are live from here on, and a session's text from the moment its text so far has been sent. */
  async #goLive(): Promise<void> {
    this.#isBehind = false;
    // A client that came with a bare number has a cursor of this epoch from now on, also when nothing happens.
    this.#connection.sendId(this.#log.cursorNow(this.#cursor));
    this.#withoutText.clear();
    this.#tellMissed();
    if (!this.#deltas) return;
    for (const sessionId of this.#partials.speaking(this.#owner, this.#view.wants)) this.#withoutText.add(sessionId);
    for (const sessionId of this.#withoutText) {
      if (this.#isBehind) return;
      this.#sendPartials(sessionId);
      await this.#connection.drained();
    }
  }

  #sendPartials(sessionId: string): void {
    this.#withoutText.delete(sessionId);
    for (const partial of this.#partials.partials(this.#owner, (id) => id === sessionId))
      if (!this.#connection.offer(toFrame(partial.type, JSON.stringify(partial)))) this.#fallBehind();
  }

  #tellMissed(): void {
    const { configuration, templates, artifacts, knowledge, memory, webhooks } = this.#missed;
    this.#missed = {};
    if (configuration) this.configurationChanged(configuration);
    if (templates) this.templatesChanged(this.#owner);
    if (knowledge && !this.#tell({ type: 'knowledge.missed' })) this.#missed.knowledge = true;
    if (memory) this.memoryChanged(this.#owner, null);
    if (webhooks) this.webhooksChanged(this.#owner);
    if (artifacts && !this.#tell({ type: 'artifacts.missed' })) this.#missed.artifacts = true;
  }

  event(stored: StoredEvent): void {
    if (stored.owner !== this.#owner || !this.#view.wants(stored.sessionId)) return;
    if (this.#isBehind) this.#newest = this.#view.idOf(stored);
    else if (!this.#deliver(stored)) this.#fallBehind();
  }

  /** False: it does not fit now. */
  #deliver(event: EventFrame): boolean {
    const id = this.#view.idOf(event);
    if (id <= this.#cursor) return true;
    if (this.#view.wants(event.sessionId) && !this.#connection.offer(event.frame, this.#log.cursorNow(id)))
      return false;
    this.#cursor = id;
    return true;
  }

  #fallBehind(): void {
    if (this.#isBehind) return;
    this.#isBehind = true;
    void this.#resume().catch(() => this.#connection.end());
  }

  async #resume(): Promise<void> {
    await this.#connection.drained();
    if (this.#connection.isClosed) return;
    const bounds = await this.#view.bounds().catch(unlessSessionIsGone);
    if (bounds) this.#resetIfOutside(bounds.newest, bounds.oldest);
    await this.#catchUp();
  }

  deltas(batch: readonly GatheredDelta[]): void {
    if (!this.#deltas) return;
    for (const { owner, sessionId, frame } of batch) {
      if (this.#isBehind || owner !== this.#owner || !this.#view.wants(sessionId)) continue;
      if (!this.#withoutText.has(sessionId) && !this.#connection.offer(frame)) this.#fallBehind();
    }
  }

  configurationChanged(configuration: ConfigurationState): void {
    if (!this.#tell({ type: 'configuration.changed', configuration })) this.#missed.configuration = configuration;
  }

  templatesChanged(owner: string): void {
    if (owner === this.#owner && !this.#tell({ type: 'templates.changed' })) this.#missed.templates = true;
  }

  memoryChanged(owner: string, agentId: string | null): void {
    if (owner === this.#owner && !this.#tell({ type: 'memory.changed', agentId })) this.#missed.memory = true;
  }

  webhooksChanged(owner: string): void {
    if (owner === this.#owner && !this.#tell({ type: 'webhooks.changed' })) this.#missed.webhooks = true;
  }

  artifactChanged(owner: string, frame: Frame): void {
    if (owner === this.#owner && !this.#offer(frame)) this.#missed.artifacts = true;
  }

  knowledgeChanged(owner: string, frame: Frame): void {
    if (owner === this.#owner && !this.#offer(frame)) this.#missed.knowledge = true;
  }

  follows(owner: string, sessionId: string): boolean {
    return owner === this.#owner && this.#view.wants(sessionId);
  }

  /** A client that is behind is not asked: by the time it reads the command, the agent no longer waits for it. */
  panelCommand(owner: string, command: PanelCommand): boolean {
    return this.follows(owner, command.sessionId) && this.#tell(command);
  }

  #tell<F extends { type: string }>(frame: F): boolean {
    return this.#offer(toFrame(frame.type, JSON.stringify(frame)));
  }

  #offer(frame: Frame): boolean {
    if (this.#isBehind) return false;
    const fits = this.#connection.offer(frame);
    if (!fits) this.#fallBehind();
    return fits;
  }

  stopping(): void {
    this.#connection.sendObject({ type: 'server.stopping' });
    this.#connection.end();
  }
}

/** The log still says that the session was deleted. */
function unlessSessionIsGone(error: unknown): null {
  if (error instanceof AppError && error.code === 'session_not_found') return null;
  throw error;
}

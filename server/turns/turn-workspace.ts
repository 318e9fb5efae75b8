import { Readable } from 'node:stream';
import type { Changes, Snapshot } from '../workspaces/changes.ts';
import type { RunningTurn } from './running-turn.ts';
import type { TurnDeps } from './turn-deps.ts';

/** The folder that the programs of one turn work in, and what they change in it. */
export class TurnWorkspace {
  readonly #deps: TurnDeps;
  readonly #running: RunningTurn;
  #opened: Promise<string> | undefined;
  #before: Snapshot | null = null;

  constructor(deps: TurnDeps, running: RunningTurn) {
    this.#deps = deps;
    this.#running = running;
  }

  /** What changes from now on belongs to the turn. */
  folder(): Promise<string> {
    this.#opened ??= this.#open();
    return this.#opened;
  }

  /** The agent has ended: what it changed becomes a part of its answer. */
  async end(): Promise<void> {
    await this.#opened?.catch(() => undefined);
    const changes = this.#before && (await this.#deps.changes.end(this.#before));
    this.#before = null;
    if (changes) await this.#add(changes);
  }

  async #open(): Promise<string> {
    const { agent_id: agentId, session_id: sessionId, guest } = this.#running.turn;
    const folder = await this.#deps.workspaces.folderOf({ agentId, sessionId });
    if (guest === 0) this.#before = await this.#deps.changes.begin(folder);
    return folder;
  }

  async #add({ files, isCut, patch }: Changes): Promise<void> {
    const { files: store, flusher } = this.#deps;
    const saved = await store.upload(this.#running.owner, PATCH, Readable.from([Buffer.from(patch)]));
    this.#running.output.addDiff({ type: 'diff', files: [...files], isCut, patchId: saved.id });
    flusher.note(this.#running);
  }
}

const PATCH = { name: 'changes.diff', mediaType: 'text/x-diff' };

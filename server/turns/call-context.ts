import type { Question } from '../../contract/actions.ts';
import type { EventLog, Tx } from '../events/log.ts';
import type { ToolCallRow } from '../storage/tables.ts';
import { type Answer, type Progress, type ToolContext, ToolFailure } from '../tools/tool.ts';
import { loadAction } from './action-store.ts';
import type { Settled } from './actions.ts';
import type { CallRecords } from './call-records.ts';
import type { RunningTurn } from './running-turn.ts';
import type { TurnDeps } from './turn-deps.ts';

export interface CallTerms {
  /** It had begun before the server stopped. */
  resumed: boolean;
  approvedFolder?: string | null;
  /** The transaction that stores an atomic call. */
  tx?: Tx;
}

/** What the tools of one turn may ask of it while they work. */
export class CallContexts {
  readonly #deps: TurnDeps;
  readonly #running: RunningTurn;
  readonly #records: CallRecords;

  constructor(deps: TurnDeps, running: RunningTurn, records: CallRecords) {
    this.#deps = deps;
    this.#running = running;
    this.#records = records;
  }

  of(row: ToolCallRow, signal: AbortSignal, { resumed, approvedFolder = null, tx }: CallTerms): ToolContext {
    let mayBeAsked = resumed;
    return {
      owner: this.#running.owner,
      agentId: row.agent_id,
      sessionId: row.session_id,
      turnId: row.turn_id,
      callId: row.id,
      tx,
      resumed,
      approvedFolder,
      signal,
      progress: (progress) => publishProgress(this.#deps.log, this.#running.owner, row, progress),
      ask: async (question) => {
        const isAsked = mayBeAsked && (await this.#isAsked(row));
        mayBeAsked = false;
        return this.#ask(row, isAsked ? null : question, signal);
      },
      waiting: (isWaiting) => this.#records.noteWait(row, isWaiting),
      background: (work) => this.#deps.delegation.begin(this.#deps, this.#running, row.id, work),
      attach: (file) => {
        this.#running.output.addFile({ type: 'file', ...file });
        this.#deps.flusher.note(this.#running);
      },
      hops: this.#running.hops,
      denies: (tool) => this.#running.toolset?.scoped.denies(tool) ?? false,
      turnToken: () => this.#deps.tokens.of(this.#running),
    };
  }

  /** Null when the caller no longer waits for the call. */
  async settled(actionId: string, signal: AbortSignal): Promise<Settled | null> {
    try {
      return await this.#deps.actions.settled(this.#running.owner, actionId, signal);
    } catch (error) {
      if (signal.aborted) return null;
      throw error;
    }
  }

  /** Before the server stopped: the person is not asked twice, and what they have answered since counts. */
  async #isAsked({ action_id: actionId }: ToolCallRow): Promise<boolean> {
    if (actionId === null) return false;
    return (await loadAction(this.#deps.log.db, this.#running.owner, actionId)).kind === 'question';
  }

  async #ask(row: ToolCallRow, question: Question | null, signal: AbortSignal): Promise<Answer | null> {
    const actionId = question ? await this.#records.openQuestion(row, question) : row.action_id;
    const settled = actionId === null ? null : await this.settled(actionId, signal);
    if (actionId === null || !settled) throw signal.reason ?? new ToolFailure('The turn was stopped.');
    await this.#records.noteAnswer(row, actionId);
    const { answer } = settled;
    return answer?.decision === 'answer' ? { text: answer.text, values: answer.values } : null;
  }
}

/** Tells the clients that watch how far a call has come. */
export function publishProgress(
  { bus }: Pick<EventLog, 'bus'>,
  owner: string,
  row: ToolCallRow,
  { text = null, fraction = null }: { [key in keyof Progress]: Progress[key] | null },
): void {
  const { session_id: sessionId, turn_id: turnId, id: callId } = row;
  bus.publishDelta({ owner, delta: { type: 'tool.progress', sessionId, turnId, callId, text, fraction } });
}

const LONGEST_TIMER_MS = 2 ** 31 - 1;

export interface TimeLimit {
  readonly signal: AbortSignal;
  end(): void;
}

/** How long a call may take; time spent waiting for a person does not count. Null: no limit. */
export function limitTime(row: ToolCallRow, ms: number | null): TimeLimit {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const arm = (wait: number) => {
    timer = setTimeout(() => (row.state === 'waiting' ? arm(wait) : controller.abort()), wait);
  };
  if (ms !== null) arm(Math.min(ms, LONGEST_TIMER_MS));
  return { signal: controller.signal, end: () => clearTimeout(timer) };
}

/** A tool that does not heed its signal is left behind. */
export function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const leave = () => reject(signal.reason);
  if (signal.aborted) leave();
  signal.addEventListener('abort', leave, { once: true });
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', leave));
}

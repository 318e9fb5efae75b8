import type { ToolCallRow } from '../storage/tables.ts';
import { publishProgress } from './call-context.ts';
import { CallRecords } from './call-records.ts';
import { cutBytes } from './call-views.ts';
import { newCall } from './plan-call.ts';
import type { RunningTurn } from './running-turn.ts';
import type { ToolCallDeps } from './tool-call-deps.ts';

/** More calls than this in one turn are an agent that has lost its way. The rest is not recorded. */
const MAX_CALLS = 1000;
const MAX_NAME = 256;

/**
 * The tools that an agent runs itself: rows, events and parts like those of calls that Parley carries out. `callId` is what
 * the agent calls them.
 */
export class ReportedCalls {
  readonly #deps: ToolCallDeps;
  readonly #running: RunningTurn;
  readonly #records: CallRecords;
  readonly #rows: Map<string, ToolCallRow>;

  constructor(deps: ToolCallDeps, running: RunningTurn) {
    this.#deps = deps;
    this.#running = running;
    this.#records = new CallRecords(deps, running);
    // Calls that were reported before the server stopped end in the same row.
    this.#rows = new Map(running.output.calls.flatMap((row) => (row.reported_id ? [[row.reported_id, row]] : [])));
  }

  find(callId: string): ToolCallRow | undefined {
    return this.#rows.get(callId);
  }

  async started({ callId, name, input }: { callId: string; name: string; input: string }): Promise<void> {
    if (!this.#running.agent?.traits.ownsTools) throw new Error('an agent without tools of its own reported a call');
    if (this.#rows.has(callId) || this.#rows.size >= MAX_CALLS) return;
    const { output, stepNumber: step } = this.#running;
    const row = newCall(this.#running, {
      name: name.toWellFormed().slice(0, MAX_NAME),
      input: cutBytes(input.toWellFormed(), this.#deps.limits().toolStoredBytes),
      step,
      part: output.nextPart,
      via: 'agent',
      reportedId: callId,
    });
    this.#rows.set(callId, row);
    await this.#records.begin([{ row, tool: undefined }]);
  }

  progress({ callId, text, fraction }: { callId: string; text?: string; fraction?: number }): void {
    const row = this.#rows.get(callId);
    if (!row || row.ended_at !== null) return;
    publishProgress(this.#deps.log, this.#running.owner, row, {
      ...(text !== undefined && { text }),
      ...(fraction !== undefined && { fraction }),
    });
  }

  async ended({ callId, output, isError }: { callId: string; output: string; isError: boolean }): Promise<void> {
    const row = this.#rows.get(callId);
    if (!row || row.ended_at !== null) return;
    await this.#records.end(row, isError ? 'failed' : 'complete', output.toWellFormed(), isError);
  }
}

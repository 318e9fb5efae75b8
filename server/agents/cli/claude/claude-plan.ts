import type { PlanEntry } from '../../../../contract/events.ts';
import type { JsonRecord } from '../json-program.ts';
import { recordsAt, textAt } from '../records.ts';

const STATES: Readonly<Record<string, PlanEntry['state']>> = { in_progress: 'running', completed: 'complete' };

/** What Claude Code intends to do: a whole list (`TodoWrite`), or tasks that it creates and updates one by one. */
export class ClaudePlan {
  readonly #tasks = new Map<string, PlanEntry>();
  /** Tasks whose number is not known until their tool has answered. */
  readonly #created = new Map<string, string>();

  /** The new plan, or null when the call is not about the plan. */
  called(callId: string, name: string, input: JsonRecord): PlanEntry[] | null {
    if (name === 'TodoWrite') return recordsAt(input, 'todos').map((todo) => entry(todo, 'content'));
    if (name === 'TaskCreate') this.#created.set(callId, textAt(input, 'subject') ?? '');
    if (name !== 'TaskUpdate') return null;
    const id = textAt(input, 'taskId') ?? '';
    const known = this.#tasks.get(id);
    if (!known) return null;
    if (input.status === 'deleted') this.#tasks.delete(id);
    else this.#tasks.set(id, { ...known, state: stateOf(input, known.state) });
    return this.#entries();
  }

  answered(callId: string, output: string): PlanEntry[] | null {
    const subject = this.#created.get(callId);
    const id = /#(\d+)/.exec(output)?.[1];
    if (subject === undefined || id === undefined) return null;
    this.#created.delete(callId);
    this.#tasks.set(id, { text: subject, state: 'pending' });
    return this.#entries();
  }

  #entries(): PlanEntry[] {
    return [...this.#tasks.values()];
  }
}

function entry(record: JsonRecord, name: string): PlanEntry {
  return { text: textAt(record, name) ?? '', state: stateOf(record, 'pending') };
}

function stateOf(record: JsonRecord, otherwise: PlanEntry['state']): PlanEntry['state'] {
  const status = textAt(record, 'status');
  return status === undefined ? otherwise : (STATES[status] ?? 'pending');
}

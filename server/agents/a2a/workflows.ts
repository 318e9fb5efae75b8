import { type BackgroundWork, ToolFailure, type WorkHost } from '../../tools/tool.ts';
import { ServerStopping, type TurnHost } from '../agent.ts';
import type { TextEvent } from '../text-agent.ts';
import { followTask } from './follow-task.ts';
import type { Peer } from './peer.ts';
import { withinIdleTime } from './silence.ts';
import { type Outcome, TaskReader } from './task-reader.ts';
import type { Workflow } from './workflows-in.ts';

/** Of one turn, nested ones included. */
const MAX_WORKFLOWS = 16;
const MAX_DEPTH = 3;
const CANCEL_MS = 2000;

export interface WorkflowDeps {
  readonly peer: Peer;
  /** How long a task can tell nothing new; undefined: as long as the peer says that it works. */
  readonly idleMs: number | undefined;
  readonly maxFileBytes: number;
}

/** Work that a peer tells of, each in a session of its own that is linked to the one it was told in. */
export class Workflows {
  readonly #deps: WorkflowDeps;
  readonly #known = new Set<string>();
  /** The turn is over: work without a task of its own is, too. */
  readonly #over = Promise.withResolvers<void>();

  constructor(deps: WorkflowDeps) {
    this.#deps = deps;
  }

  /** Gives the keys of those that were not known yet. */
  async open(workflows: readonly Workflow[], host: Pick<TurnHost, 'openWork'>, depth = 0): Promise<string[]> {
    const opened: string[] = [];
    for (const workflow of workflows) {
      if (this.#known.has(workflow.key) || this.#known.size >= MAX_WORKFLOWS || depth >= MAX_DEPTH) continue;
      this.#known.add(workflow.key);
      await host.openWork(this.#work(workflow, depth));
      opened.push(workflow.key);
    }
    return opened;
  }

  ended(): void {
    this.#over.resolve();
  }

  #work(workflow: Workflow, depth: number): BackgroundWork {
    const { title, description, taskId } = workflow;
    return {
      title: title || description.slice(0, 80),
      description: description || title,
      // The peer knows of its own work: it is not told what it said itself.
      notify: 'none',
      run: (signal, host) =>
        taskId === null ? this.#untilOver(description || title, signal) : this.#follow(taskId, depth, signal, host),
    };
  }

  /** Nothing more can be learnt of it than that it was begun. */
  async *#untilOver(description: string, signal: AbortSignal): AsyncGenerator<string> {
    yield description;
    const { promise: stopped, resolve } = Promise.withResolvers<void>();
    signal.addEventListener('abort', () => resolve(), { once: true });
    await Promise.race([this.#over.promise, stopped]);
  }

  async *#follow(taskId: string, depth: number, signal: AbortSignal, host: WorkHost): AsyncGenerator<string> {
    const { peer, idleMs, maxFileBytes } = this.#deps;
    const reader = new TaskReader(maxFileBytes, { tellsHistory: true });
    reader.taskId = taskId;
    const words = new WorkWords();
    try {
      const events = followTask(peer, taskId, signal);
      const { waitsUntil } = peer;
      for await (const event of idleMs === undefined ? events : withinIdleTime(events, { ms: idleMs, waitsUntil })) {
        for (const each of reader.take(event)) yield* words.take(each);
        await this.open(reader.takeWorkflows(), host, depth + 1);
        if (reader.outcome) break;
      }
    } finally {
      if (signal.aborted && !(signal.reason instanceof ServerStopping)) await cancel(peer, taskId);
    }
    assertComplete(reader.outcome);
    if (words.isEmpty) yield 'Done.';
  }
}

/** What is told of a task, for its own session: what the peer is doing stands between what it says. */
class WorkWords {
  isEmpty = true;
  #isApart = false;

  *take(event: TextEvent): Generator<string> {
    if (event.type === 'new_message') this.#isApart = true;
    if (event.type === 'text') yield* this.#say(event.text);
    if (event.type !== 'status' || !event.text) return;
    this.#isApart = true;
    yield* this.#say(event.text);
    this.#isApart = true;
  }

  *#say(text: string): Generator<string> {
    yield this.#isApart && !this.isEmpty ? `\n\n${text}` : text;
    this.#isApart = false;
    this.isEmpty = false;
  }
}

async function cancel({ client }: Peer, id: string): Promise<void> {
  const options = { signal: AbortSignal.timeout(CANCEL_MS) };
  await client.cancelTask({ tenant: '', id, metadata: undefined }, options).catch(() => undefined);
}

function assertComplete(outcome: Outcome | null): void {
  if (outcome?.kind === 'complete') return;
  if (!outcome) throw new ToolFailure('The agent stopped telling about this work.');
  if (outcome.kind === 'asks')
    throw new ToolFailure(outcome.question || 'This work waits for an answer.', 'input_required');
  throw new ToolFailure(outcome.reason || `The work was ${outcome.kind}.`);
}

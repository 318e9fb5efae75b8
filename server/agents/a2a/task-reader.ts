import { type Artifact, type Message, type StreamResponse, type Task, TaskState, type TaskStatus } from '@a2a-js/sdk';
import type { TextEvent } from '../text-agent.ts';
import { ReceivedFiles, textIn, wordsOf } from './parts.ts';
import { type Workflow, workflowsIn } from './workflows-in.ts';

/** How a task stands when its agent has stopped working on it. */
export type Outcome =
  | { readonly kind: 'complete' }
  | { readonly kind: 'failed' | 'rejected' | 'cancelled'; readonly reason: string }
  /** It goes on with an answer of the person. `id` names the question. */
  | { readonly kind: 'asks'; readonly id: string; readonly question: string; readonly isSignIn: boolean };

interface KnownArtifact {
  text: string;
  isComplete: boolean;
}

/**
 * Reads what a peer says about one task. Updates may come twice, in another order, as snapshots of the whole task, and after
 * the end: what was said once is not said again, and nothing counts after the end.
 */
export class TaskReader {
  taskId = '';
  contextId = '';
  outcome: Outcome | null = null;
  readonly #files: ReceivedFiles;
  readonly #tellsHistory: boolean;
  readonly #artifacts = new Map<string, KnownArtifact>();
  readonly #messages = new Set<string>();
  readonly #answered = new Set<string>();
  readonly #workflows: Workflow[] = [];
  readonly #progress: string[] = [];
  #lastArtifact: string | undefined;
  #hasSpoken = false;

  /** `tellsHistory`: what was said in the task before it was followed counts, too. */
  constructor(maxFileBytes: number, { tellsHistory = false } = {}) {
    this.#files = new ReceivedFiles(maxFileBytes);
    this.#tellsHistory = tellsHistory;
  }

  take({ payload }: StreamResponse): TextEvent[] {
    if (!payload || this.outcome) return [];
    switch (payload.$case) {
      case 'message':
        this.contextId ||= payload.value.contextId;
        return this.#answer(payload.value);
      case 'task':
        return this.#isOwn(payload.value.id, payload.value.contextId) ? this.#snapshot(payload.value) : [];
      case 'statusUpdate': {
        const { taskId, contextId, status, metadata } = payload.value;
        return this.#isOwn(taskId, contextId) ? this.#status(status, metadata) : [];
      }
      case 'artifactUpdate': {
        const { taskId, contextId, artifact, append, lastChunk } = payload.value;
        return artifact && this.#isOwn(taskId, contextId) ? this.#artifact(artifact, append, lastChunk) : [];
      }
      default:
        return payload satisfies never;
    }
  }

  /** The person has answered: the task goes on. A peer may ask the same once more before it has read the answer. */
  goOn(): void {
    if (this.outcome?.kind === 'asks') this.#answered.add(this.outcome.id);
    this.outcome = null;
  }

  takeWorkflows(): Workflow[] {
    return this.#workflows.splice(0);
  }

  /** Updates of another task may come through the same stream. */
  #isOwn(taskId: string, contextId: string): boolean {
    this.taskId ||= taskId;
    this.contextId ||= contextId;
    return this.taskId === taskId;
  }

  #answer(message: Message): TextEvent[] {
    this.outcome = { kind: 'complete' };
    return this.#say(message);
  }

  #snapshot({ artifacts, status, history }: Task): TextEvent[] {
    const before = this.#tellsHistory ? this.#progressIn(history, status) : [];
    const events = artifacts.flatMap((artifact) => this.#artifact(artifact, false, false));
    const known = status?.message ?? (this.#hasSpoken || events.length > 0 ? undefined : lastOfAgent(history));
    return [...before, ...events, ...this.#status(status && { ...status, message: known }, undefined)];
  }

  /** What the agent was doing before it was followed. */
  #progressIn(history: readonly Message[], status: TaskStatus | undefined): TextEvent[] {
    const isWorking = status?.state === TaskState.TASK_STATE_WORKING;
    const all = isWorking && status.message ? [...history, status.message] : history;
    const said = all.filter(({ role, messageId }) => role === AGENT && messageId !== '');
    for (const message of said) this.#workflows.push(...workflowsIn(message, undefined, this.taskId));
    return said.flatMap((message) => this.#working(message));
  }

  #status(status: TaskStatus | undefined, metadata: Record<string, unknown> | undefined): TextEvent[] {
    if (!status) return [];
    const { state, message } = status;
    this.#workflows.push(...workflowsIn(message, metadata, this.taskId));
    switch (state) {
      case TaskState.TASK_STATE_COMPLETED:
        this.outcome = { kind: 'complete' };
        return this.#lastWords(message);
      case TaskState.TASK_STATE_FAILED:
        return this.#end({ kind: 'failed', reason: wordsOf(message) });
      case TaskState.TASK_STATE_REJECTED:
        return this.#end({ kind: 'rejected', reason: wordsOf(message) });
      case TaskState.TASK_STATE_CANCELED:
        return this.#end({ kind: 'cancelled', reason: wordsOf(message) });
      case TaskState.TASK_STATE_INPUT_REQUIRED:
        return this.#ask(message, false);
      case TaskState.TASK_STATE_AUTH_REQUIRED:
        return this.#ask(message, true);
      default:
        return this.#working(message);
    }
  }

  #end(outcome: Outcome): TextEvent[] {
    this.outcome = outcome;
    return [];
  }

  #ask(message: Message | undefined, isSignIn: boolean): TextEvent[] {
    const id = message?.messageId ?? '';
    if (id !== '' && this.#answered.has(id)) return [];
    return this.#end({ kind: 'asks', id, question: wordsOf(message), isSignIn });
  }

  #working(message: Message | undefined): TextEvent[] {
    const words = wordsOf(message);
    if (!message || words === '' || this.#isKnown(message)) return [];
    this.#progress.push(words);
    return [{ type: 'status', text: words }, ...this.#files.take(message.parts, '')];
  }

  /** Some agents answer with artifacts, some with their last message, some only with what they say while they work. */
  #lastWords(message: Message | undefined): TextEvent[] {
    const words = wordsOf(message);
    const isRepeated = [...this.#artifacts.values()].some(({ text }) => text.trim() === words);
    if (message && !isRepeated && !this.#isKnown(message)) return this.#say(message);
    if (this.#hasSpoken || this.#progress.length === 0) return [];
    return this.#words(this.#progress.join('\n\n'));
  }

  #isKnown({ messageId }: Message): boolean {
    if (messageId === '') return false;
    const isKnown = this.#messages.has(messageId);
    this.#messages.add(messageId);
    return isKnown;
  }

  #say(message: Message): TextEvent[] {
    return [...this.#words(wordsOf(message)), ...this.#files.take(message.parts, '')];
  }

  #words(text: string): TextEvent[] {
    if (text === '') return [];
    this.#hasSpoken = true;
    this.#lastArtifact = undefined;
    return [{ type: 'new_message' }, { type: 'text', text }];
  }

  #artifact({ artifactId, name, parts }: Artifact, append: boolean, isLast: boolean): TextEvent[] {
    const known = this.#artifacts.get(artifactId);
    if (append && known?.isComplete) return [];
    const text = parts.map(textIn).join('');
    const files = this.#files.take(parts, name);
    const artifact = known ?? { text: '', isComplete: false };
    this.#artifacts.set(artifactId, artifact);
    const piece = append ? text : notYetSaid(artifact.text, text);
    artifact.text = append ? artifact.text + text : longer(artifact.text, text);
    artifact.isComplete ||= isLast;
    return [...this.#piece(artifactId, piece), ...files];
  }

  #piece(artifactId: string, text: string): TextEvent[] {
    if (text === '') return [];
    const isSame = this.#lastArtifact === artifactId;
    this.#lastArtifact = artifactId;
    this.#hasSpoken = true;
    return isSame ? [{ type: 'text', text }] : [{ type: 'new_message' }, { type: 'text', text }];
  }
}

/** An artifact that is sent as a whole again goes on where it was, or stands for itself when it is another text now. */
function notYetSaid(said: string, whole: string): string {
  if (whole.startsWith(said)) return whole.slice(said.length);
  return said.startsWith(whole) ? '' : whole;
}

/** A snapshot may be older than what was streamed since. */
function longer(said: string, whole: string): string {
  return said.startsWith(whole) ? said : whole;
}

function lastOfAgent(history: readonly Message[]): Message | undefined {
  return history.findLast(({ role }) => role === AGENT);
}

/** `Role.ROLE_AGENT`. */
const AGENT = 2;

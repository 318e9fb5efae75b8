import { type Artifact, type Message, Role, type StreamResponse, type Task, TaskState } from '@a2a-js/sdk';
import type { Action } from '../../../contract/actions.ts';
import type { Turn, TurnState } from '../../../contract/turns.ts';

/** The artifact with the words of the answer. Each of its files is one more. */
const ANSWER = 'answer';

/** A task is a turn: its id is the turn's, its context is the session. */
export function toTask(turn: Turn, text: string, question: Action | null, files: readonly Artifact[] = []): Task {
  return {
    id: turn.id,
    contextId: turn.sessionId,
    status: statusOf(turn, question),
    artifacts: text === '' ? [...files] : [toArtifact(text), ...files],
    history: [],
    metadata: undefined,
  };
}

export function taskResponse(task: Task): StreamResponse {
  return { payload: { $case: 'task', value: task } };
}

export function statusResponse(turn: Turn, question: Action | null): StreamResponse {
  const status = statusOf(turn, question);
  return {
    payload: {
      $case: 'statusUpdate',
      value: { taskId: turn.id, contextId: turn.sessionId, status, metadata: undefined },
    },
  };
}

export function pieceResponse(turn: TaskTurn, text: string, append: boolean): StreamResponse {
  return artifactResponse(turn, toArtifact(text), append, false);
}

export function fileResponse(turn: TaskTurn, file: Artifact): StreamResponse {
  return artifactResponse(turn, file, false, true);
}

type TaskTurn = Pick<Turn, 'id' | 'sessionId'>;

function artifactResponse(turn: TaskTurn, artifact: Artifact, append: boolean, lastChunk: boolean): StreamResponse {
  const value = { taskId: turn.id, contextId: turn.sessionId, artifact, append, lastChunk, metadata: undefined };
  return { payload: { $case: 'artifactUpdate', value } };
}

function toArtifact(text: string): Artifact {
  return { artifactId: ANSWER, name: '', description: '', parts: [toPart(text)], metadata: undefined, extensions: [] };
}

function toPart(value: string): Artifact['parts'][number] {
  return { content: { $case: 'text', value }, metadata: undefined, filename: '', mediaType: 'text/plain' };
}

function statusOf(turn: Turn, question: Action | null): NonNullable<Task['status']> {
  const words = question?.question?.question ?? turn.error?.message;
  const id = question?.id ?? `${turn.id}-${turn.state}`;
  return {
    state: question ? TaskState.TASK_STATE_INPUT_REQUIRED : STATES[turn.state],
    message: words === undefined ? undefined : toMessage(turn, id, words),
    timestamp: turn.endedAt ?? turn.startedAt ?? turn.createdAt,
  };
}

function toMessage(turn: Turn, messageId: string, words: string): Message {
  return {
    messageId,
    contextId: turn.sessionId,
    taskId: turn.id,
    role: Role.ROLE_AGENT,
    parts: [toPart(words)],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  };
}

/** A turn that waits for an approval works on: its caller cannot approve anything. */
const STATES: Record<TurnState, TaskState> = {
  queued: TaskState.TASK_STATE_SUBMITTED,
  running: TaskState.TASK_STATE_WORKING,
  waiting: TaskState.TASK_STATE_WORKING,
  complete: TaskState.TASK_STATE_COMPLETED,
  failed: TaskState.TASK_STATE_FAILED,
  cancelled: TaskState.TASK_STATE_CANCELED,
  interrupted: TaskState.TASK_STATE_FAILED,
};

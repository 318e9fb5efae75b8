import { type ListTasksRequest, TaskState } from '@a2a-js/sdk';
import { RequestMalformedError } from '@a2a-js/sdk/errors';
import type { TurnState } from '../../../contract/turns.ts';

const MOST_TASKS = 100;
const USUAL_TASKS = 50;

/** What a client wants to see of an agent's tasks, as a question about its turns. */
export function toQuery(
  agentId: string,
  { contextId, status, pageSize, pageToken, statusTimestampAfter }: ListTasksRequest,
) {
  return {
    agentId,
    limit: Math.min(Math.max(pageSize || USUAL_TASKS, 1), MOST_TASKS),
    ...wantedStates(status),
    ...(contextId && { sessionId: contextId }),
    ...(pageToken && { cursor: pageToken }),
    ...(statusTimestampAfter && { since: timeOf(statusTimestampAfter) }),
  };
}

function timeOf(written: string): number {
  const time = Date.parse(written);
  if (Number.isNaN(time)) throw new RequestMalformedError('statusTimestampAfter is not a time in ISO 8601.');
  return time;
}

/** A turn that waits is a task that works, or that needs its caller: that depends on what it waits for. */
function wantedStates(state: TaskState): { states: readonly TurnState[]; asks?: boolean } {
  switch (state) {
    case TaskState.TASK_STATE_UNSPECIFIED:
      return { states: [] };
    case TaskState.TASK_STATE_SUBMITTED:
      return { states: ['queued'] };
    case TaskState.TASK_STATE_WORKING:
      return { states: ['running', 'waiting'], asks: false };
    case TaskState.TASK_STATE_INPUT_REQUIRED:
      return { states: ['waiting'], asks: true };
    case TaskState.TASK_STATE_COMPLETED:
      return { states: ['complete'] };
    case TaskState.TASK_STATE_FAILED:
      return { states: ['failed', 'interrupted'] };
    case TaskState.TASK_STATE_CANCELED:
      return { states: ['cancelled'] };
    default:
      throw new RequestMalformedError('No task of this agent is ever in that state.');
  }
}

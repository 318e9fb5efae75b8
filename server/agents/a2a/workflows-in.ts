import type { Message } from '@a2a-js/sdk';
import { wordsOf } from './parts.ts';

/** Work that a peer has begun elsewhere and tells of. */
export interface Workflow {
  /** The same for the same work, however often the peer tells of it. */
  readonly key: string;
  /** Null when the peer does not say which task it is. */
  readonly taskId: string | null;
  readonly title: string;
  readonly description: string;
}

const MAX_TITLE = 200;
const MAX_DESCRIPTION = 2000;

/** Named by `referencedWorkflow`, in the message or else in the update, and by the tasks that the message refers to. */
export function workflowsIn(
  message: Message | undefined,
  metadata: Record<string, unknown> | undefined,
  ownTaskId: string,
): Workflow[] {
  const named = asNamed(message?.metadata?.referencedWorkflow) ?? asNamed(metadata?.referencedWorkflow);
  const taskIds = (message?.referenceTaskIds ?? []).filter((id) => id !== '' && id !== ownTaskId);
  if (taskIds.length === 0 && !named) return [];
  const words = wordsOf(message);
  const about = { title: named?.title ?? '', description: named?.description || words };
  if (taskIds.length === 0) return [{ key: `${about.title}\n${about.description}`, taskId: null, ...about }];
  return taskIds.map((taskId) => ({ key: taskId, taskId, ...about, title: about.title || `Task ${taskId}` }));
}

function asNamed(value: unknown): { title: string; description: string } | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { workflowName, description } = value as Record<string, unknown>;
  if (typeof workflowName !== 'string' || workflowName === '') return undefined;
  const about = typeof description === 'string' ? description : '';
  return { title: workflowName.slice(0, MAX_TITLE), description: about.slice(0, MAX_DESCRIPTION) };
}

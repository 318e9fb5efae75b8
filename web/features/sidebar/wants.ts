import type { Action } from '../../../contract/actions.ts';
import type { Session } from '../../../contract/sessions.ts';
import type { TextKey } from '../../i18n/en.ts';
import { plainSnippet } from '../../markdown/plain-snippet.tsx';
import { failureCause } from '../../state/failure-cause.ts';
import { isUnfinishedWork } from '../../state/needs.ts';

/** One plain line, and whose it is. */
export interface Want {
  key: TextKey;
  values: Readonly<Record<string, string>>;
  agentId: string | null;
}

/** What is wanted of the person in a session, or what is being done there; null when it is neither. */
export function wantOf(session: Session, action: Action | undefined): Want | null {
  if (action) return { ...lineOf(action), agentId: action.agentId };
  return isUnfinishedWork(session) ? { ...stateOf(session), agentId: session.agentId } : null;
}

type Line = Pick<Want, 'key' | 'values'>;

function lineOf({ kind, title, agentId, approval, question, failure }: Action): Line {
  switch (kind) {
    case 'approval':
      return { key: 'sidebar.wants.approval', values: { tool: approval?.tool ?? title } };
    case 'question':
      return { key: 'sidebar.wants.question', values: { question: question?.question ?? title } };
    case 'limit':
      return { key: 'sidebar.wants.limit', values: { title } };
    case 'failure':
      return { key: 'sidebar.wants.failure', values: { message: failure ? failureCause(failure, agentId) : title } };
    default:
      return kind satisfies never;
  }
}

function stateOf({ status, lastSnippet }: Session): Line {
  const values = { snippet: plainSnippet(lastSnippet) };
  if (status === 'error') return { key: lastSnippet ? 'sidebar.wants.failed' : 'status.error', values };
  if (status === 'waiting') return { key: 'status.waiting', values };
  return { key: lastSnippet ? 'sidebar.wants.working' : 'status.working', values };
}

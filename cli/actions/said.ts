import type { Action, AnswerAction } from '../../contract/actions.ts';
import { safeLine } from '../terminal-text.ts';

/** What an answer means, for the person who gave it. */
export function sayAnswer({ approval, agentId }: Action, { decision }: AnswerAction): string {
  const agent = safeLine(agentId);
  const tool = safeLine(approval?.tool ?? 'it');
  switch (decision) {
    case 'once':
      return `Allowed once: ${agent} uses ${tool}.`;
    case 'session':
      return `Allowed in this session: ${agent} uses ${tool} without asking again.`;
    case 'always':
      return `Allowed always: ${agent} uses ${tool} without asking again. Take it back with: parley grants --revoke ID`;
    case 'deny':
      return `Denied: ${agent} does not use ${tool}.`;
    case 'answer':
      return `Answered ${agent}.`;
    case 'decline':
      return `Declined; ${agent} is told so.`;
    case 'continue':
      return `${agent} goes on.`;
    case 'stop':
      return `${agent} stops here.`;
    case 'retry':
      return `${agent} tries again.`;
    case 'dismiss':
      return 'Left as it is.';
    default:
      return decision satisfies never;
  }
}

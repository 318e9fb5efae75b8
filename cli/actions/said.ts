import type { Action, AnswerAction } from '../../contract/actions.ts';
import { safeLine } from '../terminal-text.ts';

/** What an answer means, for the person who gave it. */
export function sayAnswer({ approval, agentId }: Action, { decision }: AnswerAction): string {
  const agent = safeLine(agentId);
  const tool = safeLine(approval?.tool ?? 'it');
  switch (decision) {
    case 'once':
      return `Allowed once: ${agent} can use ${tool}.`;
    case 'session':
      return `Allowed in this session: ${agent} can use ${tool} without asking again.`;
    case 'always':
      return `Always allowed: ${agent} can use ${tool} without asking again. To revoke it: parley grants --revoke ID`;
    case 'deny':
      return `Denied: ${agent} can't use ${tool}.`;
    case 'answer':
      return `Answered ${agent}.`;
    case 'decline':
      return `Skipped. ${agent} was notified.`;
    case 'continue':
      return `${agent} continues.`;
    case 'stop':
      return `${agent} was stopped.`;
    case 'retry':
      return `${agent} is trying again.`;
    case 'dismiss':
      return 'Dismissed.';
    default:
      return decision satisfies never;
  }
}

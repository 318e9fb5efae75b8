import type { Action, TrippedLimit } from '../../contract/actions.ts';
import { text, useText } from '../i18n/text.ts';
import { useAgent } from '../live/use-agents.ts';

const LIMITS = ['depth', 'fanOut', 'turnsPerRoot', 'rounds', 'tokensPerRoot', 'costPerRoot', 'stepsPerTurn'] as const;

/** One line that says what is wanted, in the person's language and by the name they know the asker by. */
export function useActionTitle(action: Action): string {
  useText();
  return actionTitle(action, useAgent(action.agentId)?.displayName ?? action.agentId);
}

export function actionTitle({ kind, title, approval, question, limit, failure }: Action, name: string): string {
  switch (kind) {
    case 'approval':
      return text('actions.title.approval', { name, tool: approval?.tool ?? title });
    case 'question':
      return text('actions.title.question', { name, question: question?.question ?? title });
    case 'failure':
      return text('actions.title.failure', { name, message: failure?.message ?? title });
    case 'limit':
      return limit ? limitTitle(limit, name) : title;
    default:
      return kind satisfies never;
  }
}

function limitTitle({ limit, wanted, allowed }: TrippedLimit, name: string): string {
  const known = LIMITS.find((one) => one === limit) ?? 'other';
  const what = text(`actions.limit.${known}`, { name, limit });
  return text('actions.title.limit', { what, wanted, allowed });
}

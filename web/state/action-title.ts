import type { Action, ApprovalRequest, TrippedLimit } from '../../contract/actions.ts';
import { ownActOf } from '../../contract/own-acts.ts';
import { money } from '../i18n/formats.ts';
import { language, text, useText } from '../i18n/text.ts';
import { useAgentName } from '../live/use-agents.ts';
import { failureCause } from './failure-cause.ts';

const LIMITS = ['depth', 'fanOut', 'turnsPerRoot', 'rounds', 'tokensPerRoot', 'costPerRoot', 'stepsPerTurn'] as const;

/** One line that says what is wanted, in the person's language and by the name they know the asker by. */
export function useActionTitle(action: Action): string {
  useText();
  return actionTitle(action, useAgentName(action.agentId));
}

export function actionTitle({ kind, title, approval, question, limit, failure }: Action, name: string): string {
  switch (kind) {
    case 'approval':
      return approval ? approvalTitle(approval, name) : title;
    case 'question':
      return text('actions.title.question', { name, question: question?.question ?? title });
    case 'failure':
      return text('actions.title.failure', { name, message: failure ? failureCause(failure, name) : title });
    case 'limit':
      return limit ? limitTitle(limit, name) : title;
    default:
      return kind satisfies never;
  }
}

/** A tool that a program runs itself may have no name but what it does. */
function approvalTitle({ tool, source }: ApprovalRequest, name: string): string {
  const act = source.kind === 'agent' ? ownActOf(tool) : null;
  return act ? text(`actions.title.act.${act}`, { name }) : text('actions.title.approval', { name, tool });
}

function limitTitle({ limit, wanted, allowed, currency }: TrippedLimit, name: string): string {
  const known = LIMITS.find((one) => one === limit) ?? 'other';
  const what = text(`actions.limit.${known}`, { name, limit });
  const show = (amount: number) => (currency === undefined ? count(amount) : money(amount, currency));
  return text('actions.title.limit', { what, wanted: show(wanted), allowed: show(allowed) });
}

function count(amount: number): string {
  return new Intl.NumberFormat(language()).format(amount);
}

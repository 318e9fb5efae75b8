import type { ParleyClient } from '../../client/parley-client.ts';
import type { Action, ActionKind } from '../../contract/actions.ts';
import { AppError } from '../../contract/errors.ts';
import { inputLine } from '../call-line.ts';
import { CommandFailure, EXIT_USAGE } from '../failure.ts';
import { exactLine, safeLine } from '../terminal-text.ts';
import { cut } from '../text-width.ts';
import { findById, shortId } from './short-id.ts';

/** The action that is meant: by its id or a part of it, or, where only one is open, without. */
export async function findAction(client: ParleyClient, given: string | undefined): Promise<Action> {
  const { actions } = await client.call('listActions', { query: { limit: 500 } });
  if (given === undefined) return theOnly(actions);
  return findById(actions, given, 'actions') ?? (await settledOne(client, given));
}

/** The only open action of these kinds, when no id is given. */
export function theOnly(actions: readonly Action[], kinds?: readonly ActionKind[]): Action {
  const fitting = kinds ? actions.filter(({ kind }) => kinds.includes(kind)) : actions;
  const [only, ...others] = fitting;
  if (only && others.length === 0) return only;
  if (!only) throw new CommandFailure(actions.length === 0 ? 'Nothing needs you.' : 'No questions are waiting.');
  const list = fitting.map((action) => `  ${shortId(action.id)}  ${safeLine(action.title)}${given(action)}`);
  throw new CommandFailure(
    [`${fitting.length} actions are waiting for you. Give the ID of one:`, ...list].join('\n'),
    EXIT_USAGE,
  );
}

/** What tells one call of a tool from another. */
function given({ approval }: Action): string {
  return approval ? `: ${exactLine(cut(inputLine(approval.input), LONGEST_INPUT))}` : '';
}

const LONGEST_INPUT = 120;

async function settledOne(client: ParleyClient, id: string): Promise<Action> {
  try {
    return await client.call('getAction', { actionId: id });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'action_not_found') throw error;
    throw new AppError('action_not_found', `No open action has an ID that starts or ends with ${id}.`);
  }
}

import type { ParleyClient } from '../../client/parley-client.ts';
import type { Action, ActionKind } from '../../contract/actions.ts';
import { AppError } from '../../contract/errors.ts';
import { CommandFailure, EXIT_USAGE } from '../failure.ts';
import { findById, shortId } from './short-id.ts';

/** The action that is meant: by its id or a part of it, or, where only one is open, without. */
export async function findAction(client: ParleyClient, given: string | undefined): Promise<Action> {
  const { actions } = await client.listActions({ limit: 500 });
  if (given === undefined) return theOnly(actions);
  return findById(actions, given, 'actions') ?? (await settledOne(client, given));
}

/** Among those of some kinds, when nothing says which. */
export function theOnly(actions: readonly Action[], kinds?: readonly ActionKind[]): Action {
  const fitting = kinds ? actions.filter(({ kind }) => kinds.includes(kind)) : actions;
  const [only, ...others] = fitting;
  if (only && others.length === 0) return only;
  if (!only) throw new CommandFailure(actions.length === 0 ? 'Nothing waits for you.' : 'No question waits for you.');
  const list = fitting.map(({ id, title }) => `  ${shortId(id)}  ${title}`);
  throw new CommandFailure(
    [`${fitting.length} things wait for you; name the one you mean:`, ...list].join('\n'),
    EXIT_USAGE,
  );
}

async function settledOne(client: ParleyClient, id: string): Promise<Action> {
  try {
    return await client.getAction(id);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'action_not_found') throw error;
    throw new AppError('action_not_found', `Nothing that waits for you has an id that begins or ends with ${id}.`);
  }
}

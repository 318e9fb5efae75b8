import type { Command } from 'commander';
import type { ParleyClient } from '../../client/parley-client.ts';
import { AppError } from '../../contract/errors.ts';
import type { HomeOption } from '../connect.ts';
import { requireSession } from '../find-session.ts';
import { look, note, print } from '../output.ts';

export interface Reading extends HomeOption {
  json?: boolean;
}

export function sub(command: Command, name: string, summary: string, options: { isDefault?: boolean } = {}): Command {
  return command.command(name, options).description(summary).option('--home <folder>', 'the data folder');
}

/** A webhook by its name, however it is capitalised, or by its id. */
export function requireByName<Webhook extends { id: string; name: string }>(
  webhooks: readonly Webhook[],
  nameOrId: string,
): Webhook {
  const exact = webhooks.find(({ id, name }) => name === nameOrId || id === nameOrId);
  const alike = webhooks.filter(({ name }) => name.toLowerCase() === nameOrId.toLowerCase());
  const found = exact ?? (alike.length === 1 ? alike[0] : undefined);
  if (found) return found;
  throw new AppError('webhook_not_found', `No webhook has the name or ID "${nameOrId}".`);
}

/** Alone on standard output, so that it can be piped to where it is needed. */
export function printSecret(secret: string): void {
  note(look().dim('The secret, shown only now:'));
  print(secret);
}

/** An empty value clears. */
export async function sessionField(client: ParleyClient, session: string | undefined) {
  if (session === undefined) return {};
  return { sessionId: session === '' || session === 'new' ? null : (await requireSession(client, session)).id };
}

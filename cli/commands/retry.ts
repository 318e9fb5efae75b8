import type { Command } from 'commander';
import type { ParleyClient } from '../../client/parley-client.ts';
import type { Turn } from '../../contract/turns.ts';
import { withClient } from '../connect.ts';
import { CommandFailure } from '../failure.ts';
import { DEFAULT_SESSION, requireSession } from '../find-session.ts';
import { followTurns } from '../follow/follow.ts';
import { assertComplete } from '../follow/turn-outcome.ts';

interface RetryOptions {
  session: string;
  agent?: string;
  wait?: boolean;
  json?: boolean;
  home?: string;
}

export function define(command: Command): void {
  command
    .description('Regenerate a reply. The old reply is kept as another version.')
    .argument('[turn]', 'the turn to repeat; default: the latest in the session')
    .option('-s, --session <name>', 'the session, by name or ID', DEFAULT_SESSION)
    .option('-a, --agent <agent>', 'let another agent reply')
    .option('--no-wait', 'exit when an approval or answer is needed instead of waiting')
    .option('--json', 'print every event as one line of JSON')
    .option('--home <folder>', 'the data folder')
    .addHelpText('after', EXAMPLES)
    .action(retry);
}

async function retry(turnId: string | undefined, options: RetryOptions): Promise<void> {
  await withClient(options, async (connection) => {
    const { client } = connection;
    const turn = turnId ? (await client.call('getTurn', { turnId })).turn : undefined;
    const session = turn
      ? await client.call('getSession', { sessionId: turn.sessionId })
      : await requireSession(client, options.session);
    const repeated = turn ?? (await newestAsked(client, session.id));
    if (!repeated) throw new CommandFailure('This session has no messages yet.');
    const receipt = await client.call('retryTurn', { turnId: repeated.id, body: { agent: options.agent } });
    const turnIds = receipt.turns.map(({ id }) => id);
    const followed = await followTurns(connection, session, turnIds, options);
    assertComplete(followed, session.name ?? session.id);
  });
}

/** Not what an agent gave another to do: that is repeated with the turn it was for. */
async function newestAsked(client: ParleyClient, sessionId: string): Promise<Turn | undefined> {
  const { turns } = await client.call('listTurns', { sessionId, query: { limit: 50 } });
  return turns.find(({ parentTurnId }) => !turns.some(({ id }) => id === parentTurnId));
}

const EXAMPLES = `
Examples:
  $ parley retry                           the last message of the default session
  $ parley retry -s trip -a wisp/reviewer  with another agent`;

import type { Command } from 'commander';
import type { ParleyClient } from '../../client/parley-client.ts';
import type { Cancelled } from '../../contract/turns.ts';
import { withClient } from '../connect.ts';
import { DEFAULT_SESSION, requireSession } from '../find-session.ts';
import { print } from '../output.ts';

interface CancelOptions {
  session: string;
  agent?: string;
  sender: string;
  home?: string;
}

export function define(command: Command): void {
  command
    .description('Stop a turn, or everything in a session, running and queued. Your messages are kept.')
    .argument('[turn]', 'the turn; default: everything in the session')
    .option('-s, --session <name>', 'the session, by name or ID', DEFAULT_SESSION)
    .option('-a, --agent <agent>', 'every session of this agent and --sender instead')
    .option('--sender <name>', 'with -a: the sender', 'user')
    .option('--home <folder>', 'the data folder')
    .addHelpText('after', EXAMPLES)
    .action(cancel);
}

async function cancel(turnId: string | undefined, options: CancelOptions): Promise<void> {
  await withClient(options, async ({ client }) => {
    const { cancelled } = await stop(client, turnId, options);
    if (cancelled.length === 0) print('Nothing was running.');
    else print(`Stopped ${cancelled.length === 1 ? 'one turn' : `${cancelled.length} turns`}.`);
  });
}

async function stop(client: ParleyClient, turnId: string | undefined, options: CancelOptions): Promise<Cancelled> {
  if (turnId) return client.call('cancelTurn', { turnId });
  if (options.agent) return client.call('kill', { body: { agent: options.agent, sender: options.sender } });
  return client.call('cancelSession', { sessionId: (await requireSession(client, options.session)).id });
}

const EXAMPLES = `
Examples:
  $ parley cancel                                  everything in the default session
  $ parley cancel -s trip
  $ parley cancel -a wisp/concierge --sender user  every session of that agent and sender`;

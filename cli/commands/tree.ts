import type { Command } from 'commander';
import type { ParleyClient } from '../../client/parley-client.ts';
import type { TurnTree } from '../../contract/delegation.ts';
import { AppError } from '../../contract/errors.ts';
import { ID_PATTERN } from '../../contract/names.ts';
import { screenWidth } from '../call-line.ts';
import { type HomeOption, withClient } from '../connect.ts';
import { CommandFailure } from '../failure.ts';
import { DEFAULT_SESSION, findSession } from '../find-session.ts';
import { print, printJson } from '../output.ts';
import { drawTree } from '../turn-tree.ts';

interface TreeOptions extends HomeOption {
  json?: boolean;
}

export function define(command: Command): void {
  command
    .description('Show the delegations of a request: who asked whom, with state, duration, tokens and cost.')
    .argument('[turn-or-session]', 'a turn, or a session by name or ID (its latest turn)', DEFAULT_SESSION)
    .option('--json', 'as JSON')
    .option('--home <folder>', 'the data folder')
    .addHelpText('after', EXAMPLES)
    .action(tree);
}

async function tree(what: string, options: TreeOptions): Promise<void> {
  await withClient(options, async ({ client }) => {
    const { root, asked } = await load(client, what);
    if (options.json) return printJson({ root, asked });
    for (const line of drawTree(root, asked, screenWidth())) print(line);
  });
}

async function load(client: ParleyClient, what: string): Promise<TurnTree> {
  const session = await findSession(client, what);
  if (!session) return loadTurn(client, what);
  const [newest] = (await client.call('listTurns', { sessionId: session.id, query: { limit: 1 } })).turns;
  if (newest) return client.call('turnTree', { turnId: newest.id });
  throw new CommandFailure('This session has no messages yet.');
}

async function loadTurn(client: ParleyClient, id: string): Promise<TurnTree> {
  const unknown = new AppError('turn_not_found', `No session or turn has the name or ID "${id}".`);
  if (!ID_PATTERN.test(id)) throw unknown;
  return client.call('turnTree', { turnId: id }).catch((error) => {
    throw error instanceof AppError && error.code === 'turn_not_found' ? unknown : error;
  });
}

const EXAMPLES = `
◌ queued  ● running  ◔ waiting for you  ✓ complete  ✗ failed or cancelled  ? interrupted
Tokens and cost of a turn include its sub-agents.

Examples:
  $ parley tree              the latest turn of the default session and its delegations
  $ parley tree trip
  $ parley tree TURN_ID      the tree prints turn IDs
  $ parley cancel TURN_ID    stop a turn and everything done for it`;

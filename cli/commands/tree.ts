import type { Command } from 'commander';
import type { ParleyClient } from '../../client/parley-client.ts';
import type { TurnTree } from '../../contract/delegation.ts';
import { AppError } from '../../contract/errors.ts';
import { ID_PATTERN } from '../../contract/names.ts';
import { screenWidth } from '../call-line.ts';
import { type Place, withClient } from '../connect.ts';
import { CommandFailure } from '../failure.ts';
import { DEFAULT_SESSION, findSession } from '../find-session.ts';
import { print, printJson } from '../output.ts';
import { drawTree } from '../turn-tree.ts';

interface TreeOptions extends Place {
  json?: boolean;
}

export function define(command: Command): void {
  command
    .description(
      'Everything done on behalf of what you asked: who asked whom, with states, durations, tokens and cost.',
    )
    .argument('[turn-or-session]', 'a turn, or a session by name or id: then its newest turn', DEFAULT_SESSION)
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
  const [newest] = (await client.listTurns(session.id, { limit: 1 })).turns;
  if (newest) return client.turnTree(newest.id);
  throw new CommandFailure('Nothing has been asked in this session yet.');
}

async function loadTurn(client: ParleyClient, id: string): Promise<TurnTree> {
  const unknown = new AppError('turn_not_found', `There is no session called "${id}", nor a turn with that id.`);
  if (!ID_PATTERN.test(id)) throw unknown;
  return client.turnTree(id).catch((error) => {
    throw error instanceof AppError && error.code === 'turn_not_found' ? unknown : error;
  });
}

const EXAMPLES = `
◌ queued  ● running  ◔ waits for you  ✓ complete  ✗ failed or cancelled  ? interrupted
Tokens and cost of a turn include those of everybody who works for it.

Examples:
  $ parley tree              the newest turn of the default session, and everything around it
  $ parley tree trip
  $ parley tree TURN_ID      \`parley sessions show --ids\` prints ids
  $ parley cancel TURN_ID    stops one of them`;

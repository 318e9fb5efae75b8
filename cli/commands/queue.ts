import type { Command } from 'commander';
import type { ParleyClient } from '../../client/parley-client.ts';
import type { QueueList } from '../../contract/turns.ts';
import { withClient } from '../connect.ts';
import { CommandFailure, EXIT_USAGE } from '../failure.ts';
import { DEFAULT_SESSION, requireSession } from '../find-session.ts';
import { print, printJson } from '../output.ts';
import { printTable } from '../table.ts';

interface QueueOptions {
  session: string;
  message?: string;
  json?: boolean;
  home?: string;
}

type Entry = QueueList['queue'][number];

export function define(command: Command): void {
  command
    .description('Messages sent while the session was busy. They are answered in order, one at a time.')
    .addHelpText('after', EXAMPLES);
  sub(command, 'list', 'list queued messages, next first', { isDefault: true })
    .option('--json', 'as JSON')
    .action(list);
  sub(command, 'edit <which>', 'edit a queued message')
    .requiredOption('-m, --message <text>', 'the new text')
    .action(edit);
  sub(command, 'move <which> <place>', 'move a message; place 1 is next').action(move);
  sub(command, 'remove <which>', 'remove a message').action(remove);
}

function sub(command: Command, name: string, summary: string, options: { isDefault?: boolean } = {}): Command {
  return command
    .command(name, options)
    .description(summary)
    .option('-s, --session <name>', 'the session, by name or ID', DEFAULT_SESSION)
    .option('--home <folder>', 'the data folder');
}

async function list(options: QueueOptions): Promise<void> {
  await withClient(options, async ({ client }) => {
    const { queue } = await load(client, options);
    if (options.json) return printJson(queue);
    if (queue.length === 0) return print('The queue is empty.');
    const rows = queue.map(({ turn, message }, index) => [`${index + 1}`, turn.agentId, message.text, turn.id]);
    printTable([{ title: '#' }, { title: 'For' }, { title: 'Message', shrinks: true }, { title: 'Turn' }], rows);
  });
}

async function edit(which: string, options: QueueOptions): Promise<void> {
  await change(which, options, (client, { turn }) =>
    client.call('editQueued', { turnId: turn.id, body: { content: options.message ?? '' } }),
  );
}

async function move(which: string, place: string, options: QueueOptions): Promise<void> {
  if (!/^[1-9]\d*$/.test(place)) throw new CommandFailure('The place must be a number; 1 is next.', EXIT_USAGE);
  await change(which, options, (client, { turn }) =>
    client.call('editQueued', { turnId: turn.id, body: { position: Number(place) - 1 } }),
  );
}

async function remove(which: string, options: QueueOptions): Promise<void> {
  await change(which, options, (client, { turn }) => client.call('removeQueued', { turnId: turn.id }));
}

async function change(
  which: string,
  options: QueueOptions,
  act: (client: ParleyClient, entry: Entry) => Promise<unknown>,
): Promise<void> {
  await withClient(options, async ({ client }) => {
    const { queue } = await load(client, options);
    await act(client, choose(queue, which));
  });
  await list(options);
}

async function load(client: ParleyClient, { session }: QueueOptions): Promise<QueueList> {
  return client.call('listQueue', { sessionId: (await requireSession(client, session)).id });
}

/** By its number in the list, or by the id of its turn. */
function choose(queue: readonly Entry[], which: string): Entry {
  const entry =
    queue.find(({ turn }) => turn.id === which) ?? (/^\d+$/.test(which) ? queue[Number(which) - 1] : undefined);
  if (entry) return entry;
  throw new CommandFailure(
    queue.length === 0 ? 'The queue is empty.' : `The queue has no message ${which}. Use 1 to ${queue.length}.`,
  );
}

const EXAMPLES = `
Examples:
  $ parley queue                            queued messages of the default session
  $ parley queue edit 2 -m "and tomorrow?"
  $ parley queue move 3 1                   the third message is next
  $ parley queue remove 1`;

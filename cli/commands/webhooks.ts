import type { Command } from 'commander';
import { ago } from '../ago.ts';
import { withClient } from '../connect.ts';
import { look, print, printJson } from '../output.ts';
import { printTable } from '../table.ts';
import { defineIncoming } from '../webhooks/incoming.ts';
import { defineOutgoing } from '../webhooks/outgoing.ts';
import { type Reading, sub } from '../webhooks/shared.ts';

export function define(command: Command): void {
  command.description('Tell other programs what happens, and let them send messages.').addHelpText('after', EXAMPLES);
  sub(command, 'list', 'list webhooks of both directions', { isDefault: true })
    .option('--json', 'as JSON')
    .action(list);
  defineOutgoing(command.command('out').description('call an address when something happens'));
  defineIncoming(command.command('in').description('turn signed requests into messages'));
}

async function list(options: Reading): Promise<void> {
  await withClient(options, async ({ client }) => {
    const [{ webhooks: outgoing }, { webhooks: incoming }] = await Promise.all([
      client.call('listOutgoingWebhooks'),
      client.call('listIncomingWebhooks'),
    ]);
    if (options.json) return printJson({ outgoing, incoming });
    if (outgoing.length + incoming.length === 0) return print(EMPTY);
    const rows = [
      ...outgoing.map(({ name, url, state, lastDelivery }) => [
        look().dim('out'),
        name,
        url,
        state,
        lastDelivery ? `${lastDelivery.state} ${ago(lastDelivery.createdAt)}` : '-',
      ]),
      ...incoming.map(({ name, path, url, state, lastCall }) => [
        look().dim('in'),
        name,
        url ?? path,
        state,
        lastCall ? `${lastCall.state} ${ago(lastCall.createdAt)}` : '-',
      ]),
    ];
    printTable(COLUMNS, rows);
  });
}

const COLUMNS = [
  { title: '' },
  { title: 'Webhook', shrinks: true },
  { title: 'Address', shrinks: true },
  { title: 'State' },
  { title: 'Last', shrinks: true },
];

const EMPTY =
  'No webhooks yet. Create one with: parley webhooks out create NAME --url URL --on turn.settled, or: parley webhooks in create NAME -a AGENT';

const EXAMPLES = `
Examples:
  $ parley webhooks out create ci --url https://ci.example.com/parley --on turn.settled action.opened
  $ parley webhooks out test ci
  $ parley webhooks out deliveries ci
  $ parley webhooks in create alerts -a wisp/concierge
  $ parley webhooks in create github --session release --signature github --template "{{action}}: {{issue.title}}"

Outgoing webhooks are sent while the server runs (parley serve). See docs/webhooks.md for what is sent and how it is signed.`;

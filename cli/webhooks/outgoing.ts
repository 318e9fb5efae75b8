import { type Command, Option } from 'commander';
import type { ParleyClient } from '../../client/parley-client.ts';
import { WEBHOOK_EVENTS } from '../../contract/webhook-events.ts';
import type { NewOutgoingWebhook, OutgoingWebhook, WebhookDelivery, WebhookEvent } from '../../contract/webhooks.ts';
import { ago } from '../ago.ts';
import { type HomeOption, withClient } from '../connect.ts';
import { CommandFailure, EXIT_USAGE } from '../failure.ts';
import { look, print, printJson } from '../output.ts';
import { printTable } from '../table.ts';
import { safeLine, safeText } from '../terminal-text.ts';
import { defineLifecycle, type Lifecycle } from './lifecycle.ts';
import { printSecret, type Reading, requireByName, sessionField, sub } from './shared.ts';

export function defineOutgoing(command: Command): void {
  sub(command, 'show <webhook>', 'show a webhook').option('--json', 'as JSON').action(show);
  addFlags(sub(command, 'create <name>', 'create a webhook and print its secret'))
    .option('--json', 'as JSON, with the secret')
    .action(create);
  addFlags(sub(command, 'update <webhook>', 'change a webhook; other fields stay as they are'))
    .option('--name <name>', 'rename it')
    .action(update);
  sub(command, 'test <webhook>', 'send a test now').option('--json', 'as JSON').action(test);
  sub(command, 'deliveries <webhook>', 'show what was sent and what waits')
    .option('--json', 'as JSON')
    .action(deliveries);
  sub(command, 'redeliver <webhook> <delivery>', 'send a delivery once more')
    .option('--json', 'as JSON')
    .action(redeliver);
  defineLifecycle(command, OUTGOING);
}

const OUTGOING: Lifecycle = {
  find,
  pause: (client, outgoingId) => client.call('pauseOutgoingWebhook', { outgoingId }),
  resume: (client, outgoingId) => client.call('resumeOutgoingWebhook', { outgoingId }),
  renewSecret: (client, outgoingId) => client.call('renewOutgoingSecret', { outgoingId }),
  remove: (client, outgoingId) => client.call('deleteOutgoingWebhook', { outgoingId }),
  whilePaused: 'what happens meanwhile is not told',
  deleting: 'delete a webhook',
  question: (name) => `Delete the webhook "${name}" and what it still had to deliver?`,
};

interface Flags {
  url?: string;
  on?: WebhookEvent[];
  agent?: string[];
  session?: string;
  texts?: boolean;
}

function addFlags(command: Command): Command {
  return command
    .option('--url <url>', 'the address that is called')
    .addOption(new Option('--on <events...>', 'what is told').choices([...WEBHOOK_EVENTS]))
    .option('-a, --agent <agents...>', 'only what these agents do; "" for all')
    .option('-s, --session <session>', 'only what happens in this session; "" for all')
    .option('--texts', 'send what was said along (default)')
    .option('--no-texts', 'send only ids, kinds, states and times');
}

async function toFields(client: ParleyClient, { url, on, agent, session, texts }: Flags, given: Command) {
  return {
    ...(url !== undefined && { url }),
    ...(on !== undefined && { events: on }),
    ...(agent !== undefined && { agents: agent.filter((one) => one !== '') }),
    ...(given.getOptionValueSource('texts') === 'cli' && { texts: texts ?? true }),
    ...(await sessionField(client, session)),
  };
}

async function create(name: string, options: Flags & Reading, command: Command): Promise<void> {
  if (!options.url || !options.on)
    throw new CommandFailure(
      'Say where to and what with --url and --on. See: parley webhooks out create --help',
      EXIT_USAGE,
    );
  await withClient(options, async ({ client }) => {
    const body = { ...(await toFields(client, options, command)), name } as NewOutgoingWebhook;
    const created = await client.call('createOutgoingWebhook', { body });
    if (options.json) return printJson(created);
    print(`Created "${safeLine(created.webhook.name)}".`);
    printSecret(created.secret);
  });
}

async function update(name: string, options: Flags & HomeOption & { name?: string }, command: Command): Promise<void> {
  await withClient(options, async ({ client }) => {
    const renamed = options.name !== undefined && { name: options.name };
    const body = { ...(await toFields(client, options, command)), ...renamed };
    if (Object.keys(body).length === 0)
      throw new CommandFailure('Nothing to change. See: parley webhooks out update --help', EXIT_USAGE);
    const changed = await client.call('patchOutgoingWebhook', { outgoingId: (await find(client, name)).id, body });
    print(`Updated "${safeLine(changed.name)}".`);
  });
}

async function show(name: string, options: Reading): Promise<void> {
  await withClient(options, async ({ client }) => {
    const webhook = await find(client, name);
    if (options.json) return printJson(webhook);
    print(look().bold(safeLine(webhook.name)));
    print(look().dim(about(webhook).map(safeLine).join(' · ')));
    if (webhook.disabledBecause) print(safeLine(webhook.disabledBecause));
  });
}

function about({ url, events, agents, sessionId, texts, state, pending, failingSince }: OutgoingWebhook): string[] {
  return [
    state,
    url,
    events.join(', '),
    ...(agents.length > 0 ? [agents.join(', ')] : []),
    ...(sessionId ? [`session ${sessionId}`] : []),
    ...(texts ? [] : ['without texts']),
    ...(pending > 0 ? [`${pending} to deliver`] : []),
    ...(failingSince ? [`failing since ${ago(failingSince)}`] : []),
  ];
}

async function test(name: string, options: Reading): Promise<void> {
  await withClient(options, async ({ client }) => {
    const { id } = await find(client, name);
    tell(await client.call('testOutgoingWebhook', { outgoingId: id }), options);
  });
}

async function redeliver(name: string, deliveryId: string, options: Reading): Promise<void> {
  await withClient(options, async ({ client }) => {
    const { id } = await find(client, name);
    tell(await client.call('redeliverWebhook', { outgoingId: id, deliveryId }), options);
  });
}

function tell(delivery: WebhookDelivery, { json }: Reading): void {
  if (json) {
    printJson(delivery);
    return;
  }
  const { state, status, error, durationMs, response } = delivery;
  if (state !== 'delivered') throw new CommandFailure(`Not delivered: ${error ?? state}`);
  print(`Delivered: HTTP ${status} in ${durationMs} ms.`);
  if (response) print(safeText(response));
}

async function deliveries(name: string, options: Reading): Promise<void> {
  await withClient(options, async ({ client }) => {
    const { id } = await find(client, name);
    const { deliveries: list } = await client.call('listWebhookDeliveries', { outgoingId: id, query: { limit: 50 } });
    if (options.json) return printJson(list);
    if (list.length === 0) return print('Nothing sent yet.');
    printTable(COLUMNS, list.map(toRow));
  });
}

const COLUMNS = [
  { title: 'Delivery' },
  { title: 'Event', shrinks: true },
  { title: 'State' },
  { title: 'Attempts' },
  { title: 'When', shrinks: true },
  { title: 'Error', shrinks: true },
];

function toRow({ id, event, state, attempts, createdAt, error }: WebhookDelivery): string[] {
  return [id, event, state, String(attempts), ago(createdAt), error ?? '-'];
}

async function find(client: ParleyClient, name: string): Promise<OutgoingWebhook> {
  return requireByName((await client.call('listOutgoingWebhooks')).webhooks, name);
}

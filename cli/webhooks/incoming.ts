import { text } from 'node:stream/consumers';
import { type Command, Option } from 'commander';
import type { ParleyClient } from '../../client/parley-client.ts';
import type { SessionMode } from '../../contract/sessions.ts';
import type { IncomingWebhook, NewIncomingWebhook, WebhookCall, WebhookSignature } from '../../contract/webhooks.ts';
import { ago } from '../ago.ts';
import { type HomeOption, withClient } from '../connect.ts';
import { CommandFailure, EXIT_USAGE } from '../failure.ts';
import { look, print, printJson } from '../output.ts';
import { printTable } from '../table.ts';
import { safeLine, safeText } from '../terminal-text.ts';
import { defineLifecycle, type Lifecycle } from './lifecycle.ts';
import { printSecret, type Reading, requireByName, sessionField, sub } from './shared.ts';

export function defineIncoming(command: Command): void {
  sub(command, 'show <webhook>', 'show a webhook').option('--json', 'as JSON').action(show);
  addFlags(sub(command, 'create <name>', 'create an address and print its secret'))
    .option('--json', 'as JSON, with the secret')
    .action(create);
  addFlags(sub(command, 'update <webhook>', 'change a webhook; other fields stay as they are'))
    .option('--name <name>', 'rename it')
    .action(update);
  sub(command, 'calls <webhook>', 'show the requests that it has taken').option('--json', 'as JSON').action(calls);
  defineLifecycle(command, INCOMING);
}

const INCOMING: Lifecycle = {
  find,
  pause: (client, incomingId) => client.call('pauseIncomingWebhook', { incomingId }),
  resume: (client, incomingId) => client.call('resumeIncomingWebhook', { incomingId }),
  renewSecret: (client, incomingId) => client.call('renewIncomingSecret', { incomingId }),
  remove: (client, incomingId) => client.call('deleteIncomingWebhook', { incomingId }),
  whilePaused: 'requests are refused',
  deleting: 'delete a webhook; its messages are kept',
  question: (name) => `Delete the webhook "${name}"? Its address stops working.`,
};

interface Flags {
  agent?: string;
  session?: string;
  folder?: string;
  mode?: SessionMode;
  template?: string;
  signature?: WebhookSignature;
}

function addFlags(command: Command): Command {
  return command
    .option('-a, --agent <agent>', 'who answers; "" for the primary of the session')
    .option('-s, --session <session>', 'send to this session; "new" for a new session each time (default)')
    .option('--template <text>', 'the message, with {{a.b}} for values of the JSON body; - reads it; "" for none')
    .addOption(new Option('--signature <kind>', 'how requests are signed').choices(['standard', 'github']))
    .option('--folder <name>', 'folder of new sessions; "" for none')
    .addOption(new Option('--mode <mode>', 'of new sessions').choices(['full', 'read-only']));
}

async function toFields(client: ParleyClient, { agent, session, folder, mode, template, signature }: Flags) {
  const words = template === '-' ? (await text(process.stdin)).trimEnd() : template;
  return {
    ...(agent !== undefined && { agentId: agent || null }),
    ...(folder !== undefined && { folder: folder || null }),
    ...(mode !== undefined && { mode }),
    ...(words !== undefined && { template: words || null }),
    ...(signature !== undefined && { signature }),
    ...(await sessionField(client, session)),
  };
}

async function create(name: string, options: Flags & Reading): Promise<void> {
  await withClient(options, async ({ client }) => {
    const body = { ...(await toFields(client, options)), name } as NewIncomingWebhook;
    const created = await client.call('createIncomingWebhook', { body });
    if (options.json) return printJson(created);
    print(`Created "${safeLine(created.webhook.name)}". It takes requests at ${addressOf(created.webhook)}`);
    printSecret(created.secret);
  });
}

function addressOf({ url, path }: IncomingWebhook): string {
  return url ?? `${path} of this server. Set server.publicUrl if others reach it at another address.`;
}

async function update(name: string, options: Flags & HomeOption & { name?: string }): Promise<void> {
  await withClient(options, async ({ client }) => {
    const renamed = options.name !== undefined && { name: options.name };
    const body = { ...(await toFields(client, options)), ...renamed };
    if (Object.keys(body).length === 0)
      throw new CommandFailure('Nothing to change. See: parley webhooks in update --help', EXIT_USAGE);
    const changed = await client.call('patchIncomingWebhook', { incomingId: (await find(client, name)).id, body });
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
    const { lastRefused } = webhook;
    if (lastRefused) print(`Last refused ${ago(lastRefused.at)}: ${safeLine(lastRefused.reason)}`);
    if (webhook.template) print(`\n${safeText(webhook.template)}`);
  });
}

function about({ state, url, path, signature, agentId, sessionId, folder, mode }: IncomingWebhook): string[] {
  return [
    state,
    url ?? path,
    ...(agentId ? [agentId] : []),
    sessionId ? `session ${sessionId}` : 'a new session each time',
    ...(folder ? [`folder ${folder}`] : []),
    ...(mode === 'read-only' ? ['read-only'] : []),
    ...(signature === 'github' ? ['signed as GitHub does'] : []),
  ];
}

async function calls(name: string, options: Reading): Promise<void> {
  await withClient(options, async ({ client }) => {
    const { id } = await find(client, name);
    const { calls: list } = await client.call('listWebhookCalls', { incomingId: id, query: { limit: 50 } });
    if (options.json) return printJson(list);
    if (list.length === 0) return print('No requests accepted yet.');
    printTable(COLUMNS, list.map(toRow));
  });
}

const COLUMNS = [
  { title: 'When' },
  { title: 'Request', shrinks: true },
  { title: 'State' },
  { title: 'Session', shrinks: true },
  { title: 'Error', shrinks: true },
];

function toRow({ createdAt, callerId, state, sessionId, error }: WebhookCall): string[] {
  return [ago(createdAt), callerId, state, sessionId ?? '-', error ?? '-'];
}

async function find(client: ParleyClient, name: string): Promise<IncomingWebhook> {
  return requireByName((await client.call('listIncomingWebhooks')).webhooks, name);
}

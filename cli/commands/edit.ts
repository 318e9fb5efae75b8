import type { Command } from 'commander';
import type { ParleyClient } from '../../client/parley-client.ts';
import type { Message } from '../../contract/messages.ts';
import { withClient } from '../connect.ts';
import { CommandFailure } from '../failure.ts';
import { DEFAULT_SESSION, requireSession } from '../find-session.ts';
import { followTurns } from '../follow/follow.ts';
import { assertComplete } from '../follow/turn-outcome.ts';

interface EditOptions {
  session: string;
  message: string;
  agent?: string;
  wait?: boolean;
  json?: boolean;
  home?: string;
}

export function define(command: Command): void {
  command
    .description('Edit an earlier message and resend it, as a new branch next to the old one.')
    .argument('[message]', 'the message ID; default: your last message in the session')
    .requiredOption('-m, --message <text>', 'the new text')
    .option('-s, --session <name>', 'the session, by name or ID', DEFAULT_SESSION)
    .option('-a, --agent <agent>', 'let another agent reply')
    .option('--no-wait', 'exit when an approval or answer is needed instead of waiting')
    .option('--json', 'print every event as one line of JSON')
    .option('--home <folder>', 'the data folder')
    .addHelpText('after', EXAMPLES)
    .action(edit);
}

async function edit(messageId: string | undefined, options: EditOptions): Promise<void> {
  await withClient(options, async (connection) => {
    const { client } = connection;
    const message = messageId
      ? await client.call('getMessage', { messageId })
      : await lastSaid(client, options.session);
    const session = await client.call('getSession', { sessionId: message.sessionId });
    const { agent, message: content } = options;
    const receipt = await client.reviseMessage(message.id, { content, ...(agent && { agent }) });
    const turnIds = receipt.turns.map(({ id }) => id);
    const followed = await followTurns(connection, session, turnIds, options);
    assertComplete(followed, session.name ?? session.id);
  });
}

async function lastSaid(client: ParleyClient, sessionName: string): Promise<Message> {
  const session = await requireSession(client, sessionName);
  const { messages } = await client.call('listMessages', { sessionId: session.id, query: { limit: 100 } });
  const last = messages.findLast(({ role, seq }) => role === 'user' && seq !== null);
  if (last) return last;
  throw new CommandFailure('You have no messages in this session yet.');
}

const EXAMPLES = `
Examples:
  $ parley edit -m "what's on tomorrow?"   replaces your last message in the default session
  $ parley edit 01987f3e-... -m "shorter"  replaces a message; \`parley sessions show --ids\` prints IDs`;

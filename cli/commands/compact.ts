import { type Command, InvalidArgumentError } from 'commander';
import { withClient } from '../connect.ts';
import { counted } from '../counted.ts';
import { DEFAULT_SESSION, requireSession } from '../find-session.ts';
import { print } from '../output.ts';
import { safeText } from '../terminal-text.ts';

interface CompactOptions {
  session: string;
  agent?: string;
  keep?: number;
  home?: string;
}

export function define(command: Command): void {
  command
    .description(
      'Summarise older messages in what agents are sent. Nothing is deleted: the session, search and export still show everything.',
    )
    .option('-s, --session <name>', 'the session, by name or ID', DEFAULT_SESSION)
    .option('-a, --agent <agent>', "the agent that writes the summary; default: the session's agent")
    .option('--keep <number>', 'how many of the newest messages to keep as they are', toCount)
    .option('--home <folder>', 'the data folder')
    .action(compact);
}

async function compact({ session: name, agent, keep, ...place }: CompactOptions): Promise<void> {
  await withClient(place, async ({ client }) => {
    const session = await requireSession(client, name);
    const { archivedCount, summary } = await client.call('compactSession', {
      sessionId: session.id,
      body: { agent, keep },
    });
    print(`${counted(archivedCount, 'message is', 'messages are')} now summarised:\n\n${safeText(summary)}`);
  });
}

function toCount(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Must be a number, 0 or more.');
}

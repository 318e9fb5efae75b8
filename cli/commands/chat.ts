import { type Command, Option } from 'commander';
import type { WhenBusy } from '../../contract/turns.ts';
import { withClient } from '../connect.ts';
import { CommandFailure, EXIT_USAGE } from '../failure.ts';
import { DEFAULT_SESSION } from '../find-session.ts';
import { readAll } from '../read-all.ts';

export interface ChatOptions {
  agent?: string;
  message?: string;
  session: string;
  new?: boolean;
  template?: string;
  guest?: string;
  busy: WhenBusy;
  wait?: boolean;
  json?: boolean;
  home?: string;
}

export function define(command: Command): void {
  command
    .usage('-a <agent> | -t <template> [-m <text>] [options]')
    .option('-a, --agent <agent>', 'who answers, and goes on answering in this session')
    .option('-m, --message <text>', 'ask once; without it you stay and talk, or the message is read from a pipe')
    .option('-s, --session <name>', 'the session, by name or id', DEFAULT_SESSION)
    .option('--new', 'start afresh under that name; the old session is replaced once the answer is complete')
    .addOption(new Option('-t, --template <name>', 'begin a new session from a template; -s names it').conflicts('new'))
    .option('--guest <agent>', 'answers this once; the session stays with the agent of -a')
    .addOption(
      new Option('--busy <what>', 'what to do while another turn runs')
        .choices(['queue', 'interrupt', 'reject', 'steer'])
        .default('queue'),
    )
    .option('--no-wait', 'with -m: leave when somebody has to be asked, instead of waiting for them')
    .option('--json', 'print every event as one line of JSON')
    .option('--home <folder>', 'the data folder')
    .addHelpText('after', EXAMPLES)
    .action(chat);
}

async function chat(options: ChatOptions, command: Command): Promise<void> {
  if (options.template !== undefined) return chatFromTemplate(options, command);
  const agent = options.agent;
  if (!agent) throw new CommandFailure('Please specify an agent with -a (e.g., -a wisp/concierge)', EXIT_USAGE);
  const content = await readMessage(options);
  if (content?.trim() === '')
    throw new CommandFailure('There is no message: give one with -m, or pipe one in.', EXIT_USAGE);
  await withClient(options, async (connection) => {
    if (content !== undefined) {
      const { askOnce } = await import('../chat/ask-once.ts');
      return askOnce(connection, { ...options, agent }, content);
    }
    const { converse } = await import('../chat/converse.ts');
    return converse(connection, { ...options, agent });
  });
}

/** Undefined: somebody is there to talk. */
async function readMessage({ message }: ChatOptions): Promise<string | undefined> {
  if (message !== undefined) return message;
  const canConverse = process.stdin.isTTY === true && process.stdout.isTTY === true;
  return canConverse ? undefined : readAll(process.stdin);
}

async function chatFromTemplate(options: ChatOptions, command: Command): Promise<void> {
  const content = await readMessage(options);
  const name = command.getOptionValueSource('session') === 'default' ? undefined : options.session;
  const { beginChat } = await import('../chat/begin-chat.ts');
  await withClient(options, (connection) => beginChat(connection, options, content, name));
}

const EXAMPLES = `
Examples:
  $ parley chat -a wisp/concierge -m "what's on today?"
  $ parley chat -a wisp/scheduler -m "clear my afternoon"           another agent, the same session
  $ parley chat -a wisp/concierge --guest wisp/reviewer -m "sound?"  a guest answers once
  $ parley chat -a wisp/concierge -s trip --new -m "plan a trip"     a session of its own, from the start
  $ parley chat --template standup                                   a new session from a template, with its opening
  $ git diff | parley chat -a wisp/reviewer                          the message comes through a pipe
  $ parley chat -a wisp/concierge                                    stay and talk; /help lists what you can do`;

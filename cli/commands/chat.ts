import { type Command, Option } from 'commander';
import type { WhenBusy } from '../../contract/turns.ts';
import { CREATES_FOLDER, withClient } from '../connect.ts';
import { CommandFailure, EXIT_USAGE } from '../failure.ts';
import { DEFAULT_SESSION } from '../find-session.ts';
import { readAll } from '../read-all.ts';
import { addWorkspaceOption, type WorkspaceOption } from '../workspace-option.ts';

export interface ChatOptions extends WorkspaceOption {
  agent?: string;
  message?: string;
  session: string;
  new?: boolean;
  template?: string;
  team?: string;
  guest?: string;
  busy: WhenBusy;
  wait?: boolean;
  json?: boolean;
  home?: string;
}

export function define(command: Command): void {
  addWorkspaceOption(command)
    .usage('-a <agent> | --guest <agent> | -t <template> | --team <team> [-m <text>] [options]')
    .option('-a, --agent <agent>', 'the agent that replies, now and from now on in this session')
    .option(
      '-m, --message <text>',
      'send one message, followed by piped input if any; without it, chat interactively or send piped input',
    )
    .option('-s, --session <name>', 'the session, by name or ID', DEFAULT_SESSION)
    .option('--new', 'start a new session with that name; the old one is replaced once the reply is complete')
    .addOption(new Option('-t, --template <name>', 'start a new session from a template; -s names it').conflicts('new'))
    .addOption(
      new Option('--team <name>', 'start a new session with a team; -s names it').conflicts(['new', 'template']),
    )
    .option('--guest <agent>', 'the agent that replies once; the session keeps its agent, or gets the one of -a')
    .addOption(
      new Option('--busy <what>', 'what to do if the session is busy')
        .choices(['queue', 'interrupt', 'reject', 'steer'])
        .default('queue'),
    )
    .option('--no-wait', 'with -m: exit when an approval or answer is needed instead of waiting')
    .option('--json', 'print every event as one line of JSON')
    .option('--home <folder>', 'the data folder')
    .addHelpText('after', EXAMPLES)
    .action(chat);
}

async function chat(options: ChatOptions, command: Command): Promise<void> {
  if (options.template !== undefined) return chatFromTemplate(options, command);
  if (options.team !== undefined) return chatWithTeam(options, command);
  const { agent, guest } = options;
  if (!agent && !guest)
    throw new CommandFailure('Please specify an agent with -a (e.g., -a wisp/concierge)', EXIT_USAGE);
  const content = await readMessage(options);
  if (content?.trim() === '') throw new CommandFailure('No message. Use -m or pipe one in.', EXIT_USAGE);
  await withClient(
    options,
    async (connection) => {
      if (content !== undefined) {
        const { askOnce } = await import('../chat/ask-once.ts');
        return askOnce(connection, options, content);
      }
      const { converse } = await import('../chat/converse.ts');
      return converse(connection, options);
    },
    CREATES_FOLDER,
  );
}

/** Undefined when a person at the terminal will type the message. */
async function readMessage({ message }: ChatOptions): Promise<string | undefined> {
  if (message !== undefined) {
    const { readPiped, withPiped } = await import('../piped-text.ts');
    return withPiped(message, await readPiped());
  }
  const canConverse = process.stdin.isTTY === true && process.stdout.isTTY === true;
  return canConverse ? undefined : readAll(process.stdin);
}

async function chatFromTemplate(options: ChatOptions, command: Command): Promise<void> {
  const content = await readMessage(options);
  const name = command.getOptionValueSource('session') === 'default' ? undefined : options.session;
  const { beginChat } = await import('../chat/begin-chat.ts');
  await withClient(options, (connection) => beginChat(connection, options, content, name), CREATES_FOLDER);
}

async function chatWithTeam(options: ChatOptions, command: Command): Promise<void> {
  const content = await readMessage(options);
  if (content?.trim() === '') throw new CommandFailure('No message. Use -m or pipe one in.', EXIT_USAGE);
  const name = command.getOptionValueSource('session') === 'default' ? undefined : options.session;
  const { beginWithTeam } = await import('../chat/begin-with-team.ts');
  await withClient(options, (connection) => beginWithTeam(connection, options, content, name), CREATES_FOLDER);
}

const EXAMPLES = `
Examples:
  $ parley chat -a wisp/concierge -m "what's on today?"
  $ parley chat -a wisp/scheduler -m "clear my afternoon"           another agent, same session
  $ parley chat --guest wisp/reviewer -m "sound?"                    a guest replies once; the session keeps its agent
  $ parley chat -a wisp/concierge -s trip --new -m "plan a trip"     a new session
  $ parley chat --team editors -m "write the release notes"           a new session with a team
  $ parley chat --template standup                                   a new session from a template
  $ git diff | parley chat -a wisp/reviewer                          the piped text is the message
  $ git diff | parley chat -a wisp/reviewer -m "review this"         the message, then the piped text
  $ parley chat -a wisp/concierge                                    chat interactively; /help for commands`;

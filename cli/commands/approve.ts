import type { Command } from 'commander';
import type { Action, AnswerAction } from '../../contract/actions.ts';
import { type AnswerOptions, giveAnswer } from '../actions/answer-command.ts';
import { findAction } from '../actions/find-action.ts';
import { shortId } from '../actions/short-id.ts';
import { withClient } from '../connect.ts';
import { CommandFailure, EXIT_USAGE } from '../failure.ts';
import { readObject } from '../tool-input.ts';

interface ApproveOptions extends AnswerOptions {
  session?: boolean;
  always?: boolean;
  input?: string;
}

export function define(command: Command): void {
  command
    .description('Approve an action: allow a tool call, continue past a limit or retry a failed turn.')
    .argument('[id]', 'ID of the action, or its start or end; optional when only one is open')
    .option('--session', 'do not ask again in this session')
    .option('--always', 'do not ask again in any session')
    .option('--input <json>', 'allow it with these arguments')
    .option('--json', 'print the action as JSON')
    .option('--home <folder>', 'the data folder')
    .addHelpText('after', EXAMPLES)
    .action(approve);
}

async function approve(id: string | undefined, options: ApproveOptions): Promise<void> {
  if (options.session && options.always) throw new CommandFailure('Choose one of --session and --always.', EXIT_USAGE);
  const input = options.input === undefined ? undefined : readObject(options.input);
  await withClient(options, async (connection) => {
    const action = await findAction(connection.client, id);
    await giveAnswer(connection, action, yesTo(action, options, input), options);
  });
}

function yesTo(action: Action, options: ApproveOptions, input: AnswerAction['input']): AnswerAction {
  if (action.kind !== 'approval' && (options.session || options.always || input))
    throw new CommandFailure(
      `--session, --always and --input are for tool calls; this is a ${action.kind}.`,
      EXIT_USAGE,
    );
  switch (action.kind) {
    case 'approval':
      return { decision: howLong(options), ...(input && { input }) };
    case 'limit':
      return { decision: 'continue' };
    case 'failure':
      return { decision: 'retry' };
    case 'question':
      throw new CommandFailure(
        `That is a question. Answer it with: parley answer ${shortId(action.id)} "…"`,
        EXIT_USAGE,
      );
    default:
      return action.kind satisfies never;
  }
}

function howLong({ session, always }: ApproveOptions): AnswerAction['decision'] {
  if (always) return 'always';
  return session ? 'session' : 'once';
}

const EXAMPLES = `
A tool call is allowed once, unless you use --session or --always. At a limit, the work continues; a failed turn is
retried.

Examples:
  $ parley approve                      the only open action
  $ parley approve 9f3c21ab --session
  $ parley approve 9f3c21ab --input '{"command":"ls build"}'
  $ parley actions                      list what is waiting`;

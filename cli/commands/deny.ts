import type { Command } from 'commander';
import type { Action, AnswerAction } from '../../contract/actions.ts';
import { type AnswerOptions, giveAnswer } from '../actions/answer-command.ts';
import { findAction } from '../actions/find-action.ts';
import { withClient } from '../connect.ts';

interface DenyOptions extends AnswerOptions {
  reason?: string;
}

export function define(command: Command): void {
  command
    .description('Deny an action: refuse a tool call, stop at a limit, dismiss a failed turn or skip a question.')
    .argument('[id]', 'ID of the action, or its start or end; optional when only one is open')
    .option('--reason <text>', 'the reason, shown to the agent')
    .option('--json', 'print the action as JSON')
    .option('--home <folder>', 'the data folder')
    .addHelpText('after', EXAMPLES)
    .action(deny);
}

async function deny(id: string | undefined, options: DenyOptions): Promise<void> {
  await withClient(options, async (connection) => {
    const action = await findAction(connection.client, id);
    const { reason } = options;
    await giveAnswer(connection, action, { decision: noTo(action), ...(reason && { reason }) }, options);
  });
}

function noTo({ kind }: Action): AnswerAction['decision'] {
  switch (kind) {
    case 'approval':
      return 'deny';
    case 'limit':
      return 'stop';
    case 'failure':
      return 'dismiss';
    case 'question':
      return 'decline';
    default:
      return kind satisfies never;
  }
}

const EXAMPLES = `
The agent continues without the tool call and is told your reason. At a limit, the work stops there.

Examples:
  $ parley deny 9f3c21ab --reason "use the staging database"
  $ parley deny                          the only open action`;

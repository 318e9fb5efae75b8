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
    .description('Says no: refuses a tool call, stops at a limit, leaves what failed, declines a question.')
    .argument('[id]', 'of the action, or its beginning or end; not needed when only one thing waits')
    .option('--reason <text>', 'why; the agent is told')
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
The agent goes on without the tool call, and knows why when you say so. At a limit, what was under way stops there.

Examples:
  $ parley deny 9f3c21ab --reason "use the staging database"
  $ parley deny                          the only thing that waits`;

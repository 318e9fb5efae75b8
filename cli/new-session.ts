import { type Command, Option } from 'commander';
import type { SessionMode } from '../contract/sessions.ts';
import { type HomeOption, withClient } from './connect.ts';
import { requireTemplate } from './find-template.ts';
import { print, printJson } from './output.ts';
import { safeLine } from './terminal-text.ts';
import { addWorkspaceOption, type WorkspaceOption, workspaceIn } from './workspace-option.ts';

interface NewOptions extends HomeOption, WorkspaceOption {
  template?: string;
  agent?: string;
  name?: string;
  folder?: string;
  mode?: SessionMode;
  json?: boolean;
}

export function defineNew(command: Command): void {
  addWorkspaceOption(command.command('new'))
    .description('create an empty session')
    .option('-t, --template <name>', 'use this template; other options override it')
    .option('-a, --agent <agent>', 'the agent that replies')
    .option('-n, --name <name>', 'session name')
    .option('--folder <name>', 'folder')
    .addOption(
      new Option('--mode <mode>', 'read-only: agents can only use read-only tools').choices(['full', 'read-only']),
    )
    .option('--json', 'as JSON')
    .option('--home <folder>', 'the data folder')
    .action(make);
}

async function make(options: NewOptions): Promise<void> {
  const { template, agent, name, folder, mode, json, home } = options;
  await withClient({ home }, async ({ client }) => {
    const from = template === undefined ? undefined : await requireTemplate(client, template);
    const session = await client.call('createSession', {
      body: {
        ...(from && { templateId: from.id }),
        ...(agent && { agentId: agent }),
        ...(name && { name }),
        ...(folder && { folder }),
        ...(mode && { mode }),
        ...workspaceIn(options),
      },
    });
    if (json) return printJson(session);
    print(`Created "${safeLine(session.title)}": ${session.id}`);
  });
}

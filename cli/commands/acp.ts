import type { Command } from 'commander';
import { CREATES_FOLDER, withClient } from '../connect.ts';

export interface AcpOptions {
  agent?: string;
  home?: string;
}

export function define(command: Command): void {
  command
    .description(
      'Offer your sessions and agents to an editor that speaks the Agent Client Protocol, such as Zed.\n' +
        'The editor starts it and talks to it over standard input and output.',
    )
    .option('-a, --agent <agent>', 'the agent that answers in new sessions; the editor can switch it as the mode')
    .option('--home <folder>', 'the data folder')
    .action(acp);
}

async function acp(options: AcpOptions): Promise<void> {
  const { serveEditor } = await import('../acp/serve-editor.ts');
  await withClient(options, ({ client }) => serveEditor(client, options.agent), {
    ...CREATES_FOLDER,
    serves: 'until the editor closes it; `parley serve` keeps one running',
  });
}

import { text } from 'node:stream/consumers';
import { type Command, Option } from 'commander';
import type { SessionMode } from '../contract/sessions.ts';
import type { PatchSessionTemplate } from '../contract/templates.ts';

export interface TemplateFlags {
  agent?: string;
  title?: string;
  folder?: string;
  mode?: SessionMode;
  opening?: string;
  send?: boolean;
}

export function addTemplateFlags(command: Command): Command {
  return command
    .option('-a, --agent <agent>', 'the agent; "" for none')
    .option('--title <title>', 'title of its sessions; "" for the first message')
    .option('--folder <name>', 'folder of its sessions; "" for none')
    .addOption(
      new Option('--mode <mode>', 'read-only: agents can only use read-only tools').choices(['full', 'read-only']),
    )
    .option('--opening <text>', 'the opening message; - reads it from standard input')
    .option('--send', 'send the opening message automatically')
    .option('--no-send', 'leave the opening message to be edited');
}

/** What is not named is left out; an empty value clears. */
export async function readTemplateFlags(flags: TemplateFlags): Promise<PatchSessionTemplate> {
  const { agent, title, folder, mode, opening, send } = flags;
  return {
    ...(agent !== undefined && { agentId: agent || null }),
    ...(title !== undefined && { title: title || null }),
    ...(folder !== undefined && { folder: folder || null }),
    ...(mode !== undefined && { mode }),
    ...(opening !== undefined && { opening: opening === '-' ? (await text(process.stdin)).trimEnd() : opening }),
    ...(send !== undefined && { sendsOpening: send }),
  };
}

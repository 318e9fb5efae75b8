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
    .option('-a, --agent <agent>', 'who answers; "" leaves it open')
    .option('--title <title>', 'what its sessions are called; "" makes it from the first message')
    .option('--folder <name>', 'where its sessions are; "" for none')
    .addOption(
      new Option('--mode <mode>', 'read-only: whoever works there may only look').choices(['full', 'read-only']),
    )
    .option('--opening <text>', 'what is said first; - reads it from a pipe')
    .option('--send', 'the opening is sent at once')
    .option('--no-send', 'the opening is there to be finished');
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

import type { Command } from 'commander';
import type { ParleyClient } from '../../client/parley-client.ts';
import type { Seen } from '../../contract/turns.ts';
import { withClient } from '../connect.ts';
import { CommandFailure } from '../failure.ts';
import { DEFAULT_SESSION, requireSession } from '../find-session.ts';
import { look, print, printJson } from '../output.ts';
import { safeLine, safeText } from '../terminal-text.ts';

interface SeenOptions {
  session: string;
  json?: boolean;
  home?: string;
}

export function define(command: Command): void {
  command
    .description('Show the model input of a turn: prompt, framing, tags, tools and estimated size.')
    .argument('[turn]', 'the turn; default: the latest in the session')
    .option('-s, --session <name>', 'the session, by name or ID', DEFAULT_SESSION)
    .option('--json', 'as JSON')
    .option('--home <folder>', 'the data folder')
    .action(seen);
}

async function seen(turnId: string | undefined, options: SeenOptions): Promise<void> {
  await withClient(options, async ({ client }) => {
    const what = await client.call('seenByTurn', { turnId: turnId ?? (await newestTurn(client, options.session)) });
    if (options.json) printJson(what);
    else show(what);
  });
}

async function newestTurn(client: ParleyClient, name: string): Promise<string> {
  const { id } = await requireSession(client, name);
  const [newest] = (await client.call('listTurns', { sessionId: id, query: { limit: 1 } })).turns;
  if (newest) return newest.id;
  throw new CommandFailure('This session has no turns yet.');
}

function show({ agentId, guest, turnId, steps }: Seen): void {
  print(`${look().bold(safeLine(agentId))}${guest ? ' (guest)' : ''}, turn ${turnId}`);
  if (steps.length === 0) print('Nothing was sent to the model: the turn ended before its first request.');
  for (const step of steps) showStep(step);
}

function showStep({ step, model, system, messages, tools, estimatedTokens }: Seen['steps'][number]): void {
  print(look().dim(`\n── step ${step} · ${safeLine(model)} · about ${estimatedTokens} tokens · ${toolsLine(tools)}`));
  print(`${look().bold('system')}\n${safeText(system)}`);
  for (const { role, text } of messages) print(`\n${look().bold(safeLine(role))}\n${safeText(text)}`);
}

function toolsLine(tools: readonly string[]): string {
  return tools.length === 0 ? 'no tools' : `tools: ${safeLine(tools.join(', '))}`;
}

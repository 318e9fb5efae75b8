import type { Command } from 'commander';
import type { ROUTES } from '../../contract/routes.ts';
import { CommandFailure } from '../failure.ts';
import { serveMcpOnStdio } from '../mcp-stdio.ts';

export function define(command: Command): void {
  command
    .description(
      'Offer the tools of a running turn as an MCP server on standard input and output.\n' +
        'For programs that an agent starts: PARLEY_URL and PARLEY_TURN_TOKEN name the server and the turn.',
    )
    .action(bridge);
}

/** The table of routes itself would bring all schemas along. */
const PATH: (typeof ROUTES)['turnTools']['path'] = '/api/turn-tools';

async function bridge(): Promise<void> {
  const { PARLEY_URL: server, PARLEY_TURN_TOKEN: token } = process.env;
  if (!server || !token)
    throw new CommandFailure('Set PARLEY_URL and PARLEY_TURN_TOKEN. Agents set them for their programs.');
  const unreachable = `No tools at ${server}: the turn has ended, or no server is running there.`;
  await serveMcpOnStdio({ url: new URL(PATH, server), token, unreachable, resources: false });
}

import type { Command } from 'commander';
import type { ParleyClient } from '../../client/parley-client.ts';
import type { Grant } from '../../contract/tools.ts';
import { findById } from '../actions/short-id.ts';
import { ago } from '../ago.ts';
import { type HomeOption, withClient } from '../connect.ts';
import { CommandFailure } from '../failure.ts';
import { print, printJson } from '../output.ts';
import { printTable } from '../table.ts';
import { safeLine } from '../terminal-text.ts';

interface GrantsOptions extends HomeOption {
  revoke?: string;
  json?: boolean;
}

export function define(command: Command): void {
  command
    .description('Show what agents can do without asking again (saved approvals).')
    .option('--revoke <id>', 'revoke an approval; the start or end of its ID is enough')
    .option('--json', 'as JSON')
    .option('--home <folder>', 'the data folder')
    .action(grants);
}

async function grants(options: GrantsOptions): Promise<void> {
  await withClient(options, async ({ client }) => {
    const { grants } = await client.call('listGrants');
    if (options.revoke !== undefined) return revoke(client, grants, options.revoke);
    if (options.json) return printJson(grants);
    if (grants.length === 0) return print('No saved approvals.');
    printTable(COLUMNS, grants.map(toRow));
  });
}

async function revoke(client: ParleyClient, grants: readonly Grant[], given: string): Promise<void> {
  const grant = findById(grants, given, 'grants');
  if (!grant)
    throw new CommandFailure(`No saved approval has an ID that starts or ends with ${given}. See: parley grants`);
  await client.call('revokeGrant', { grantId: grant.id });
  print(`Revoked: ${safeLine(grant.agentId)} will ask again before it uses ${safeLine(grant.tool)}.`);
}

const COLUMNS = [
  { title: 'Agent', shrinks: true },
  { title: 'Tool', shrinks: true },
  { title: 'Where' },
  { title: 'Since' },
  { title: 'Id' },
];

function toRow({ id, agentId, tool, sessionId, createdAt }: Grant): string[] {
  return [agentId, tool, sessionId ?? 'everywhere', ago(createdAt), id];
}

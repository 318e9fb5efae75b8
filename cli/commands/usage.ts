import { type Command, InvalidArgumentError, Option } from 'commander';
import type { ParleyClient } from '../../client/parley-client.ts';
import type { UsageQuery, UsageReport } from '../../contract/delegation.ts';
import { cost, count } from '../amounts.ts';
import { type HomeOption, withClient } from '../connect.ts';
import { requireSession } from '../find-session.ts';
import { print, printJson } from '../output.ts';
import { printTable } from '../table.ts';

interface UsageOptions extends HomeOption {
  by: UsageQuery['by'];
  since?: string;
  until?: string;
  agent?: string;
  session?: string;
  json?: boolean;
}

export function define(command: Command): void {
  command
    .description('Show tokens and cost. Cost uses the prices in the configuration.')
    .addOption(
      new Option('--by <what>', 'group by')
        .choices(['agent', 'session', 'model', 'day', 'delegation'])
        .default('agent'),
    )
    .option('--since <when>', 'a date, a time or an age such as 24h or 7d', toMoment)
    .option('--until <when>', 'the end of the period, in the same form', toMoment)
    .option('-a, --agent <agent>', 'only this agent')
    .option('-s, --session <name>', 'only this session')
    .option('--json', 'as JSON')
    .option('--home <folder>', 'the data folder')
    .addHelpText('after', EXAMPLES)
    .action(usage);
}

async function usage(options: UsageOptions): Promise<void> {
  await withClient(options, async ({ client }) => {
    const { by, since: from, until: to, agent } = options;
    const session = options.session === undefined ? undefined : (await requireSession(client, options.session)).id;
    const report = await client.call('usage', { query: { by, from, to, agent, session } });
    if (options.json) return printJson(report);
    if (report.rows.length === 0) return print('No usage yet.');
    await printReport(client, report, by);
  });
}

async function printReport(
  client: ParleyClient,
  { rows, total, currency }: UsageReport,
  by: UsageOptions['by'],
): Promise<void> {
  const titles = by === 'session' ? await titlesOf(client) : new Map<string, string>();
  const columns = ['Turns', 'Input', 'Cached', 'Output', `Cost (${currency})`].map((title) => ({ title }));
  printTable(
    [{ title: HEADS[by], shrinks: true }, ...columns],
    [...rows.map((row) => toRow(titles.get(row.key) ?? row.key, row)), toRow('total', total)],
  );
}

const HEADS: Record<UsageOptions['by'], string> = {
  agent: 'Agent',
  session: 'Session',
  model: 'Model',
  day: 'Day',
  delegation: 'Delegation',
};

/** People know their sessions by what they are called, as far as they are in the list. */
async function titlesOf(client: ParleyClient): Promise<Map<string, string>> {
  const { sessions } = await client.call('listSessions', { query: { limit: 200 } });
  return new Map(sessions.map(({ id, title }) => [id, `${title} (${id})`]));
}

function toRow(name: string, row: UsageReport['total']): string[] {
  const { turns, inputTokens, cachedInputTokens, outputTokens } = row;
  const cached = cachedInputTokens === undefined ? '-' : count(cachedInputTokens);
  const spent = row.cost === undefined ? '-' : cost(row.cost);
  return [name, `${turns}`, count(inputTokens), cached, count(outputTokens), spent];
}

const UNITS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

function toMoment(text: string): string {
  const [, amount, unit] = /^(\d{1,6})([mhdw])$/.exec(text) ?? [];
  if (amount && unit) return new Date(Date.now() - Number(amount) * UNITS[unit]!).toISOString();
  const moment = /^\d{4}-/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(moment)) throw new InvalidArgumentError('Must be a date such as 2026-11-01, or an age such as 7d.');
  return new Date(moment).toISOString();
}

const EXAMPLES = `
Examples:
  $ parley usage
  $ parley usage --by day --since 7d
  $ parley usage --by model --since 2026-11-01 -s trip`;

import type { z } from 'zod';
import type { UsageQuery, UsageReport } from '../../contract/delegation.ts';
import { AppError } from '../../contract/errors.ts';
import { say } from '../../contract/texts.ts';
import type { EventLog } from '../events/log.ts';
import { loadSession } from '../sessions/store.ts';
import { selectUsage } from './usage-store.ts';

/** Tokens and cost of an owner's turns and summaries. */
export async function reportUsage(
  log: EventLog,
  owner: string,
  query: z.output<typeof UsageQuery>,
  currency: string,
): Promise<UsageReport> {
  if (query.session) await loadSession(log.db, owner, query.session);
  const [from, to] = [query.from, query.to].map((time) => (time === undefined ? null : Date.parse(time)));
  if (from && to && from > to) throw new AppError('invalid_request', say('invalid_request.period'));
  const rows = await selectUsage(log.db, owner, { ...query, from: from ?? null, to: to ?? null });
  const total = rows.reduce(add, { turns: 0, inputTokens: 0, outputTokens: 0 });
  return { total, rows: rows.map(clean), from: query.from ?? null, to: query.to ?? null, currency };
}

type Row = Awaited<ReturnType<typeof selectUsage>>[number];
type Total = UsageReport['total'];

function add(sum: Total, row: Row): Total {
  const { key: _, ...figures } = clean(row);
  const costs = [sum.cost, figures.cost].filter((cost) => cost !== undefined);
  return {
    turns: sum.turns + figures.turns,
    inputTokens: sum.inputTokens + figures.inputTokens,
    outputTokens: sum.outputTokens + figures.outputTokens,
    cachedInputTokens: (sum.cachedInputTokens ?? 0) + (figures.cachedInputTokens ?? 0),
    reasoningTokens: (sum.reasoningTokens ?? 0) + (figures.reasoningTokens ?? 0),
    ...(costs.length > 0 && { cost: costs.reduce((a, b) => a + b, 0) }),
  };
}

function clean({ cost, ...row }: Row): UsageReport['rows'][number] {
  return cost === null ? row : { ...row, cost };
}

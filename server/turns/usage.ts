import type { z } from 'zod';
import type { Price } from '../../contract/config.ts';
import type { UsageQuery, UsageReport } from '../../contract/delegation.ts';
import { AppError } from '../../contract/errors.ts';
import { say } from '../../contract/texts.ts';
import type { Usage } from '../../contract/turns.ts';
import type { EventLog } from '../events/log.ts';
import { loadSession } from '../sessions/store.ts';
import { matchGlob } from '../tools/glob.ts';
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

type Prices = Readonly<Record<string, z.infer<typeof Price>>>;

const MILLION = 1_000_000;

/** What was used, with the model's name, and what it cost where its price is known. */
export function withPrice(prices: Prices, model: string, usage: Usage): Usage {
  const price = Object.entries(prices).find(([pattern]) => matchGlob(pattern, model))?.[1];
  if (!price) return { ...usage, model };
  const cached = usage.cachedInputTokens ?? 0;
  const fresh = usage.inputTokens - cached;
  const cost = fresh * price.input + cached * (price.cachedInput ?? price.input) + usage.outputTokens * price.output;
  return { ...usage, model, cost: cost / MILLION };
}

export function addUp(a: Usage, b: Usage): Usage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cachedInputTokens: (a.cachedInputTokens ?? 0) + (b.cachedInputTokens ?? 0),
    reasoningTokens: (a.reasoningTokens ?? 0) + (b.reasoningTokens ?? 0),
    ...modelOf(a, b),
    ...((a.cost !== undefined || b.cost !== undefined) && { cost: (a.cost ?? 0) + (b.cost ?? 0) }),
  };
}

function modelOf(a: Usage, b: Usage): Pick<Usage, 'model'> {
  const model = a.model ?? b.model;
  return model === undefined ? {} : { model };
}

import type { z } from 'zod';
import type { Price } from '../../contract/config.ts';
import type { Usage } from '../../contract/turns.ts';
import { matchGlob } from '../tools/glob.ts';

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

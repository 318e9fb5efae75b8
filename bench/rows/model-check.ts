import type { Bench } from '../bench.ts';
import { Connection } from '../load/connection.ts';
import { crowdOfModel } from '../load/crowd.ts';
import { Tally } from '../load/tally.ts';
import { format } from '../report.ts';
import { ask, type Model } from '../sides/model.ts';
import { describe } from './crowds.ts';

export interface ModelCheck {
  paced: string;
  floodTokensPerSecond: number;
}

/** Nothing below means anything if the model or the load is what is slow. */
export async function checkModel({ model, quick, log }: Bench): Promise<ModelCheck> {
  const plan = { conversations: 1000, delayMs: 50, turnTokens: 100, rampMs: 1000, windowMs: quick ? 2000 : 3000 };
  const paced = describe(await crowdOfModel(model, plan));
  log(`model alone, 1,000 x 20 tok/s: ${paced}`);
  const floodTokensPerSecond = await floodModel(model);
  log(`model alone, flood of 50: ${format(floodTokensPerSecond)} tok/s`);
  return { paced, floodTokensPerSecond };
}

async function floodModel(model: Model): Promise<number> {
  const tally = new Tally();
  const connections = Array.from({ length: 50 }, () => new Connection(model.child.port));
  const startedAt = performance.now();
  await Promise.all(connections.map((connection) => connection.stream(model.turn(ask(10_000)), tally)));
  const seconds = (performance.now() - startedAt) / 1000;
  for (const connection of connections) connection.close();
  return tally.total / seconds;
}

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { scriptedAgent } from '../harness/agents.ts';
import { Parley } from '../harness/parley.ts';
import { ScriptedProvider } from '../harness/scripted-provider.ts';
import { ScriptedAgents } from '../suites/scripted-agents.ts';
import { connectTo, gather, message, said, WAYS } from './a2a-client.ts';

let provider: ScriptedProvider;
let scripted: ScriptedAgents;
let parley: Parley;

beforeAll(async () => {
  provider = await ScriptedProvider.start();
  scripted = new ScriptedAgents(provider);
  parley = await Parley.start({ config: { agents: [scriptedAgent(provider.url, 'ada', { apiExposed: true })] } });
});

afterAll(async () => {
  await parley.close();
  await provider.close();
});

/** Of all threads of the server, in milliseconds. */
function cpuMs(): number {
  const fields = readFileSync(`/proc/${parley.pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** The least of three. Each token is written by itself, so that each is an event of its own. */
async function costOf(way: string, tokens: number): Promise<number> {
  const client = await connectTo(parley, way, 'ada');
  const costs: number[] = [];
  for (let round = 0; round < 3; round++) {
    scripted.answers('ada', [{ kind: 'repeat', text: 'word ', count: tokens, delayMs: 0, perWrite: 1 }]);
    const before = cpuMs();
    const responses = await gather(client.sendMessageStream(message('count')));
    costs.push(cpuMs() - before);
    expect(said(responses).length).toBe(tokens * 5);
  }
  return Math.min(...costs);
}

// What is quadratic costs sixteen times as much.
it.each(WAYS)('four times as many tokens over %s cost about four times as much', { timeout: 60_000 }, async (way) => {
  await costOf(way, 500);
  const few = await costOf(way, 1000);
  const many = await costOf(way, 4000);
  expect(many).toBeLessThan(Math.max(few, 50) * 8);
});

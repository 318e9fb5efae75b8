import { spawn } from 'node:child_process';
import path from 'node:path';
import type { Bench, Measurement } from '../bench.ts';
import { median } from '../load/statistics.ts';
import { compare } from '../report.ts';
import { AGENT } from '../sides/agents.ts';
import { Bare } from '../sides/bare.ts';
import { placed, programEnv } from '../sides/child.ts';
import { ask } from '../sides/model.ts';
import { Parley } from '../sides/parley.ts';
import { frozenProgram } from '../sides/program.ts';

const PATIENCE_MS = 20_000;
const BARE_CLI = path.join(import.meta.dirname, '../sides/bare-cli.mjs');

/** From pressing return to the first token, with a server that runs already. */
export const commandLine: Measurement = {
  name: 'command-line',
  about: 'command line, start to first token',
  async run(bench) {
    const bare = await Bare.start({ modelUrl: bench.model.url, sqlite: true });
    const parley = await Parley.start({ modelUrl: bench.model.url });
    try {
      const { bareMs, parleyMs } = await measure(bench, bare, parley);
      return [
        compare({
          row: 'command line, start to first token',
          baselineName: 'bare CLI',
          baseline: median(bareMs),
          parley: median(parleyMs),
          unit: 'ms',
          atMost: 2,
          figures: { bareMs, parleyMs },
        }),
      ];
    } finally {
      await bare.stop();
      await parley.stop();
    }
  },
};

async function measure({ quick }: Bench, bare: Bare, parley: Parley) {
  const conversation = await bare.open();
  const bareArgs = [process.execPath, BARE_CLI, bare.child.url, conversation, ask(10)];
  const parleyArgs = [frozenProgram(), 'chat', '--home', parley.home, '-a', AGENT, '-m', ask(10)];
  for (let warm = 0; warm < 2; warm++) await untilFirstToken(parleyArgs);
  const bareMs: number[] = [];
  const parleyMs: number[] = [];
  for (let round = 0; round < (quick ? 7 : 15); round++) {
    bareMs.push(await untilFirstToken(bareArgs));
    parleyMs.push(await untilFirstToken(parleyArgs));
  }
  return { bareMs, parleyMs };
}

/** On the core of the load: the server has its own. */
async function untilFirstToken([program, ...args]: readonly string[]): Promise<number> {
  const [command, all] = placed('load', program!, args);
  const startedAt = performance.now();
  const child = spawn(command, all, { stdio: ['ignore', 'pipe', 'pipe'], env: programEnv(), timeout: PATIENCE_MS });
  let output = '';
  let firstMs = 0;
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (firstMs === 0 && output.includes('~')) firstMs = performance.now() - startedAt;
    });
  }
  await new Promise((resolve) => child.once('close', resolve));
  if (firstMs === 0) throw new Error(`no token came: ${output.slice(0, 500)}`);
  return firstMs;
}

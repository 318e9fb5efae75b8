import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench, Measurement } from '../bench.ts';
import { callJson } from '../load/calls.ts';
import { Connection } from '../load/connection.ts';
import { median } from '../load/statistics.ts';
import { Tally } from '../load/tally.ts';
import { compare, format, type Row } from '../report.ts';
import { AGENT } from '../sides/agents.ts';
import { BareReader } from '../sides/bare-reader.ts';
import { Child } from '../sides/child.ts';
import { ask } from '../sides/model.ts';
import { NO_TOOLS, Parley } from '../sides/parley.ts';
import type { Side } from '../sides/side.ts';

const SPEAKERS = path.join(import.meta.dirname, '../sides/speakers');
/** Milliseconds that a first token may come later from a program that runs already. */
const MOST_ADDED_MS = 50;

/** Before each turn: a person does not answer sooner, and some programs are left to rest until then. */
const PAUSE_MS = 200;

interface Adapter {
  readonly name: string;
  /** More for one that needs a request for each piece. */
  readonly tokens: number;
  readonly agent: object;
  readonly config?: object;
  readonly bare: BareReader;
  /** Before the first turn. */
  prepare?(parley: Parley): Promise<void>;
  close(): Promise<void>;
}

/** What an agent that is no model says: what each token costs, and how much later the first one comes. */
export const adapters: Measurement = {
  name: 'adapters',
  about: 'what programs and remote agents say, beside reading the same bytes bare',
  async run(bench) {
    const rows: Row[] = [];
    for (const open of [program('claude'), program('codex'), program('pi'), program('acp'), a2a, external]) {
      const adapter = await open();
      try {
        rows.push(...(await measure(bench, adapter)));
      } finally {
        await adapter.close();
      }
    }
    return rows;
  },
};

interface Spoken {
  cpuUs: number[];
  firstMs: number[];
}

async function measure({ model, quick, log }: Bench, adapter: Adapter): Promise<Row[]> {
  const { name, tokens, agent, config = {}, bare } = adapter;
  const parley = await Parley.start({ modelUrl: model.url, agent: { ...NO_TOOLS, ...agent }, config });
  try {
    await bare.child.ready();
    await adapter.prepare?.(parley);
    const sides = [new Speaking(bare), new Speaking(parley)] as const;
    // The first turn starts the program; those after it find it running.
    for (const side of sides) await side.speak(tokens, quick ? 1 : 3);
    const spoken: [Spoken, Spoken] = [newSpoken(), newSpoken()];
    for (let round = 0; round < (quick ? 3 : 10); round++)
      for (const [index, side] of sides.entries()) await side.speak(tokens, 1, spoken[index]);
    for (const side of sides) side.close();
    log(`${name}: ${format(median(spoken[1].cpuUs))} µs a token, bare ${format(median(spoken[0].cpuUs))}`);
    return toRows(name, spoken);
  } finally {
    await parley.stop();
  }
}

function newSpoken(): Spoken {
  return { cpuUs: [], firstMs: [] };
}

function toRows(name: string, [bare, parley]: readonly [Spoken, Spoken]): Row[] {
  const cpu = compare({
    row: `${name}, CPU per token`,
    baselineName: 'bare reader',
    baseline: median(bare.cpuUs),
    parley: median(parley.cpuUs),
    unit: 'µs',
    figures: { bare: bare.cpuUs, parleyCpu: parley.cpuUs },
  });
  const added = median(parley.firstMs) - median(bare.firstMs);
  const first: Row = {
    row: `${name}, first token`,
    baseline: `${format(median(bare.firstMs))} ms (bare reader)`,
    parley: `${format(median(parley.firstMs))} ms`,
    ratio: `+${format(added)} ms`,
    goal: `<= +${MOST_ADDED_MS} ms`,
    met: added <= MOST_ADDED_MS,
    figures: { bare: bare.firstMs, parleyFirst: parley.firstMs, addedMs: added },
  };
  return [cpu, first];
}

/** One conversation with a side. */
class Speaking {
  readonly #side: Side;
  readonly #connection: Connection;
  #conversation: string | undefined;

  constructor(side: Side) {
    this.#side = side;
    this.#connection = new Connection(side.child.port);
  }

  async speak(tokens: number, turns: number, spoken = newSpoken()): Promise<void> {
    this.#conversation ??= await this.#side.open(AGENT);
    for (let turn = 0; turn < turns; turn++) {
      await sleep(PAUSE_MS);
      const before = this.#side.child.cpuMs();
      const heard = await this.#connection.stream(this.#side.turn(this.#conversation, ask(tokens, 1)), new Tally());
      if (heard.tokens !== tokens) throw new Error(`${this.#side.name}: ${heard.tokens} of ${tokens} tokens arrived`);
      spoken.cpuUs.push(((this.#side.child.cpuMs() - before) * 1000) / tokens);
      spoken.firstMs.push(heard.firstMs);
    }
  }

  close(): void {
    this.#connection.close();
  }
}

function program(wire: 'claude' | 'codex' | 'pi' | 'acp'): () => Promise<Adapter> {
  return async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'parley-bench-speaker-'));
    const command = path.join(folder, wire);
    const script = path.join(SPEAKERS, 'program.mjs');
    writeFileSync(command, `#!/bin/sh\nexec '${process.execPath}' '${script}' ${wire} "$@"\n`);
    chmodSync(command, 0o755);
    const isAcp = wire === 'acp';
    const bare = new BareReader('program', command);
    return {
      name: isAcp ? 'acp' : `${wire}-cli`,
      tokens: 1000,
      agent: isAcp
        ? { type: 'acp', chat: undefined, acp: { command } }
        : { chat: { provider: `${wire}-cli`, cli: { command } } },
      bare,
      close: async () => {
        await bare.stop();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  };
}

async function remote(): Promise<Child> {
  return new Child('load', [process.execPath, path.join(SPEAKERS, 'remote.mjs')]).ready();
}

async function a2a(): Promise<Adapter> {
  const speaker = await remote();
  const bare = new BareReader('a2a', `${speaker.url}/`);
  return {
    name: 'a2a',
    tokens: 1000,
    agent: { type: 'a2a', chat: undefined, a2a: { url: `${speaker.url}/` } },
    config: allowing(speaker),
    bare,
    prepare: approveCard,
    close: () => closeAll(bare, speaker),
  };
}

async function external(): Promise<Adapter> {
  const speaker = await remote();
  const bare = new BareReader('external', `${speaker.url}/`);
  return {
    name: 'external',
    tokens: 200,
    agent: {
      type: 'external',
      chat: undefined,
      external: { inputUrl: `${speaker.url}/input`, secret: 'bench-secret' },
    },
    config: allowing(speaker),
    bare,
    close: () => closeAll(bare, speaker),
  };
}

function allowing({ url }: Child): object {
  return { tools: { fetch: { allowHosts: [new URL(url).host] } } };
}

async function approveCard({ child, headers }: Parley): Promise<void> {
  const route = `/api/agent-cards/${AGENT}`;
  const { hash } = await callJson<{ hash: string }>(child.url, { method: 'GET', path: route, headers });
  await callJson(child.url, { method: 'POST', path: route, headers, body: { hash } });
}

async function closeAll(bare: BareReader, speaker: Child): Promise<void> {
  await bare.stop();
  await speaker.stop();
}

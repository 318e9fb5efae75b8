import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Bench, Measurement } from '../bench.ts';
import { call } from '../load/calls.ts';
import type { WireRequest } from '../load/connection.ts';
import { median, pause } from '../load/statistics.ts';
import { compare, format, type Row } from '../report.ts';
import { Bare } from '../sides/bare.ts';
import { ask } from '../sides/model.ts';
import { Parley } from '../sides/parley.ts';
import type { Side } from '../sides/side.ts';

/** A server that begins again on the data it had: how long until it takes a message, and how large it is when idle. */
export const starting: Measurement = {
  name: 'starting',
  about: 'restart to the first accepted message, idle memory',
  async run(bench) {
    const homes = { bare: newFolder(), parley: newFolder() };
    try {
      return toRows(await measure(bench, homes));
    } finally {
      for (const home of Object.values(homes)) rmSync(home, { recursive: true, force: true });
    }
  },
};

interface Start {
  acceptedMs: number;
  cpuMs: number;
  idleMb: number;
  afterTurnsMb: number;
}

async function measure(bench: Bench, homes: { bare: string; parley: string }) {
  const { url: modelUrl } = bench.model;
  const port = await freePort();
  const bare = () => new Bare({ modelUrl, sqlite: false, home: homes.bare, port });
  const parley = () => new Parley({ modelUrl, home: homes.parley, port });
  const conversation = await prepare(parley());
  const figures: { bare: Start[]; parley: Start[] } = { bare: [], parley: [] };
  for (let round = 0; round < (bench.quick ? 5 : 9); round++) {
    figures.bare.push(await startOnce(bare(), 'c', port));
    figures.parley.push(await startOnce(parley(), conversation, port));
  }
  return figures;
}

async function prepare(parley: Parley): Promise<string> {
  await parley.child.ready();
  const conversation = await parley.open();
  await parley.stop();
  return conversation;
}

async function startOnce(side: Side, conversation: string, port: number): Promise<Start> {
  const url = `http://127.0.0.1:${port}`;
  const request = side.turn(conversation, ask(1));
  await accepted(url, request);
  const acceptedMs = performance.now() - side.child.startedAt;
  const cpuMs = side.child.cpuMs();
  await pause(1000);
  const idleMb = side.child.rssMb();
  for (let turn = 0; turn < 100; turn++) await call(url, side.turn(conversation, ask(20)));
  const afterTurnsMb = side.child.rssMb();
  await side.stop();
  return { acceptedMs, cpuMs, idleMb, afterTurnsMb };
}

/** Knocks until somebody answers. */
async function accepted(url: string, request: WireRequest): Promise<void> {
  for (let tries = 0; tries < 5000; tries++) {
    try {
      const { status, text } = await call(url, request);
      if (status < 300) return;
      throw new Error(`the first request was answered with ${status}: ${text}`);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ECONNREFUSED') throw error;
      await pause(2);
    }
  }
  throw new Error('nobody answered');
}

function newFolder(): string {
  return mkdtempSync(path.join(tmpdir(), 'parley-bench-start-'));
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function toRows({ bare, parley }: { bare: Start[]; parley: Start[] }): Row[] {
  const of = (starts: Start[], key: keyof Start) => median(starts.map((start) => start[key]));
  return [
    compare({
      row: 'restart to first accepted message',
      baselineName: 'bare',
      baseline: of(bare, 'acceptedMs'),
      parley: of(parley, 'acceptedMs'),
      unit: 'ms',
      atMost: 2,
      note: `CPU until then ${format(of(bare, 'cpuMs'))} and ${format(of(parley, 'cpuMs'))} ms`,
      figures: { bareStarts: bare, parleyStarts: parley },
    }),
    compare({
      row: 'idle memory',
      baselineName: 'bare',
      baseline: of(bare, 'idleMb'),
      parley: of(parley, 'idleMb'),
      unit: 'MB',
      atMost: 1.8,
      note: `after 100 turns ${format(of(bare, 'afterTurnsMb'))} and ${format(of(parley, 'afterTurnsMb'))} MB`,
    }),
  ];
}

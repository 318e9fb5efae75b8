import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import type { KnowledgeSource } from '../../contract/knowledge.ts';
import type { Measurement } from '../bench.ts';
import { callJson, timeCall } from '../load/calls.ts';
import { median } from '../load/statistics.ts';
import { compare, type Row } from '../report.ts';
import { Parley } from '../sides/parley.ts';

const FILES = 10;
const PASSAGES = 10_000;
const DIMENSIONS = 768;
const WORDS = 5000;
const SEARCH_GOAL_MS = 100;
const LOOP_GOAL_MS = 10;
const READ_GOAL_MB = 1;

/** What agents search: how fast files are read, and how fast passages are found by their words and by their meaning. */
export const knowledge: Measurement = {
  name: 'knowledge',
  about: 'reading Markdown files into 10,000 passages, and searching them',
  async run({ model, quick }) {
    const embeddings = new Embeddings();
    const settings = { baseUrl: await embeddings.open(), model: 'bench', batch: 256 };
    const parley = await Parley.start({ modelUrl: model.url, config: { knowledge: { embeddings: settings } } });
    try {
      return await measure(parley, quick ? 20 : 100);
    } finally {
      await parley.stop();
      embeddings.close();
    }
  },
};

async function measure(parley: Parley, searches: number): Promise<Row[]> {
  const text = Array.from({ length: FILES }, (_, file) => fileOf(file, PASSAGES / FILES));
  const startedAt = performance.now();
  const sources = await Promise.all(text.map((contents, file) => addFile(parley, file, contents)));
  for (const { id } of sources) await until(parley, id, ({ state }) => state === 'ready');
  const seconds = (performance.now() - startedAt) / 1000;
  for (const { id } of sources) await until(parley, id, (source) => source.embedded === source.passages);
  const times: number[] = [];
  const probes: number[] = [];
  for (let round = 0; round < searches; round++) {
    const search = timeCall(
      parley.child.url,
      parley.get(`/api/knowledge-search?q=${wordAt(round)}+${wordAt(round * 7)}`),
    );
    probes.push(await timeCall(parley.child.url, { method: 'GET', path: '/health' }));
    times.push(await search);
  }
  const bytes = text.reduce((sum, one) => sum + one.length, 0);
  return toRows({ search: median(times), probe: median(probes), speed: bytes / 1e6 / seconds });
}

/** The baselines are the goals themselves. */
function toRows({ search, probe, speed }: { search: number; probe: number; speed: number }): Row[] {
  const goal = (row: string, baseline: number, parley: number) =>
    compare({ row, baselineName: 'goal', baseline, parley, unit: 'ms', atMost: 1 });
  const passages = PASSAGES.toLocaleString('en');
  return [
    goal(`a search over ${passages} passages, words and ${DIMENSIONS} dimensions, p50`, SEARCH_GOAL_MS, search),
    goal('the smallest request during such searches, p50', LOOP_GOAL_MS, probe),
    compare({
      row: 'reading what agents search',
      baselineName: 'goal',
      baseline: READ_GOAL_MB,
      parley: speed,
      unit: 'MB/s',
      atLeast: 1,
    }),
  ];
}

async function addFile({ headers, child }: Parley, file: number, text: string): Promise<KnowledgeSource> {
  const url = `${child.url}/api/knowledge-files?name=file-${file}.md`;
  const response = await fetch(url, { method: 'POST', headers, body: text });
  return (await response.json()) as KnowledgeSource;
}

async function until(parley: Parley, id: string, isSo: (source: KnowledgeSource) => boolean): Promise<void> {
  const request = parley.get(`/api/knowledge/${id}`);
  while (!isSo(await callJson<KnowledgeSource>(parley.child.url, request))) await pause(20);
}

function fileOf(file: number, passages: number): string {
  const section = (number: number) => {
    const words = Array.from({ length: 120 }, (_, index) => wordAt(file * 7919 + number * 104_729 + index * index));
    return `# Section ${number}\n\n${words.join(' ')}\n`;
  };
  return Array.from({ length: passages }, (_, number) => section(number)).join('\n');
}

function wordAt(number: number): string {
  return `${(((number % WORDS) * 2_654_435_761) % 4_294_967_296).toString(36)}x`;
}

function vectorOf(seed: number): string {
  const numbers = Float32Array.from({ length: DIMENSIONS }, (_, place) => ((seed * (place + 1)) % 97) - 48);
  return Buffer.from(numbers.buffer).toString('base64');
}

/** Makes some vector of every text at once. */
class Embeddings {
  readonly #server: Server = createServer(async (request, response) => {
    const { input } = (await json(request)) as { input: string[] };
    const data = input.map((text, index) => ({
      index,
      embedding: vectorOf(text.length),
    }));
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ data }));
  });

  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { KnowledgeSearchResults } from '../../contract/knowledge.ts';
import { Parley, until } from '../harness/parley.ts';
import { Knowing } from './knowing.ts';
import { reconfigure } from './reconfigure.ts';

const KEY = 'sk-embeddings-0123456789';

/** Makes vectors of what texts are about: the more words of a topic a text has, the longer it is in that direction. */
class EmbeddingServer {
  readonly requests: { model: string; input: string[]; authorization: string | undefined }[] = [];
  readonly #server: Server;
  /** Statuses of the next answers; then it answers well. */
  failures: number[] = [];

  constructor() {
    this.#server = createServer(async (request, response) => {
      const { model, input } = (await json(request)) as { model: string; input: string[] };
      this.requests.push({ model, input, authorization: request.headers.authorization });
      const status = this.failures.shift() ?? 200;
      const data = input.map((text, index) => {
        const vector = TOPICS.map((topic) => countOf(topic, text) + 0.01);
        // Some servers do not know base64 and send numbers all the same.
        const asAsked = Buffer.from(Float32Array.from(vector).buffer).toString('base64');
        return { index, embedding: model === 'first' ? vector : asAsked };
      });
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ data }));
    });
  }

  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

const TOPICS = [/dog|hound|puppy/gi, /ship|sail|harbour/gi, /bread|oven|flour/gi];

function countOf(topic: RegExp, text: string): number {
  return text.match(topic)?.length ?? 0;
}

let embeddings: EmbeddingServer;
let url: string;
let parley: Parley;
let knowing: Knowing;
const configured = (model: string) => ({ baseUrl: url, model, apiKey: '${EMBED_KEY}', batch: 2 });
beforeAll(async () => {
  embeddings = new EmbeddingServer();
  url = await embeddings.open();
  parley = await Parley.start({
    config: { agents: [], knowledge: { embeddings: configured('first') } },
    env: { EMBED_KEY: KEY },
  });
  knowing = new Knowing(parley);
});
beforeEach(() => {
  embeddings.failures = [];
});
afterAll(async () => {
  await parley.close();
  embeddings.close();
});

async function knowEmbedded(name: string, contents: string) {
  const { id } = await knowing.know(name, contents);
  return embedded(id);
}

function embedded(id: string) {
  return until(
    () => knowing.get(id),
    (source) => source.embedded === source.passages && source.passages > 0,
    20_000,
  );
}

describe('embeddings', () => {
  it('find what is said in other words, together with what is said in the same', async () => {
    await knowEmbedded('pets.txt', 'Every puppy needs a hound to learn from.');
    await knowEmbedded('sea.txt', 'They sail at dawn from the harbour.');
    await knowEmbedded('word.txt', 'dog');
    const hits = await knowing.search('dog');
    expect(hits.map(({ name, foundBy }) => [name, foundBy])).toEqual([
      ['word.txt', ['words', 'meaning']],
      ['pets.txt', ['meaning']],
      ['sea.txt', ['meaning']],
    ]);
    expect(embeddings.requests[0]).toMatchObject({ model: 'first', authorization: `Bearer ${KEY}` });
  });

  it('are made in batches, and again after a failure that passes', async () => {
    embeddings.failures = [503];
    const before = embeddings.requests.length;
    const paragraphs = Array.from(
      { length: 5 },
      (_, index) => `# Part ${index}\n\n${`The oven ${index} is hot. `.repeat(30)}`,
    );
    const { passages } = await knowEmbedded('ovens.md', paragraphs.join('\n\n'));
    expect(passages).toBe(5);
    const sizes = embeddings.requests.slice(before).map(({ input }) => input.length);
    expect(sizes).toEqual([2, 2, 2, 1]);
  });

  it('that fail leave the search by words, which says why without the key', async () => {
    embeddings.failures = [401];
    const route = '/api/knowledge-search?q=oven';
    const found = await parley.ok<KnowledgeSearchResults>('GET', route);
    expect(found.problem!.code).toBe('knowledge_embeddings');
    expect(found.problem!.message).toContain('rejected the API key');
    expect(JSON.stringify(found)).not.toContain(KEY);
    expect(found.hits[0]).toMatchObject({ name: 'ovens.md', foundBy: ['words'] });
  });

  it('are made anew with another model', async () => {
    const before = embeddings.requests.length;
    await reconfigure({ parley }, (settings) => {
      settings.knowledge.embeddings = configured('second');
    });
    const { sources } = await parley.ok<{ sources: { id: string }[] }>('GET', '/api/knowledge');
    for (const { id } of sources) await embedded(id);
    const made = embeddings.requests.slice(before).filter(({ model }) => model === 'second');
    expect(made.flatMap(({ input }) => input)).toHaveLength(8);
    expect((await knowing.search('hound'))[0]).toMatchObject({ name: 'pets.txt', foundBy: ['words', 'meaning'] });
  });
});

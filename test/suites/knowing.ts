import { expect } from 'vitest';
import type { KnowledgeHit, KnowledgeSource } from '../../contract/knowledge.ts';
import { ROUTES } from '../../contract/routes.ts';
import { type Parley, until } from '../harness/parley.ts';
import { fill, matches } from './test-server.ts';

/** Adds files as a client does. */
export class Knowing {
  readonly #parley: Parley;

  constructor(parley: Parley) {
    this.#parley = parley;
  }

  async upload(name: string, contents: string | Uint8Array, query: Record<string, string> = {}) {
    const { url, token } = this.#parley;
    const search = new URLSearchParams({ name, ...query });
    const response = await fetch(`${url}${ROUTES.uploadKnowledge.path}?${search}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/octet-stream' },
      body: Buffer.from(contents),
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  }

  /** For an agent, or more of the query. */
  async add(
    name: string,
    contents: string | Uint8Array,
    of: string | Record<string, string> = {},
  ): Promise<KnowledgeSource> {
    const answer = await this.upload(name, contents, typeof of === 'string' ? { agent: of } : of);
    expect([answer.status, answer.body]).toEqual([201, answer.body]);
    matches(ROUTES.uploadKnowledge.response, answer.body);
    return answer.body as KnowledgeSource;
  }

  /** The same, once it has been read. */
  async know(name: string, contents: string | Uint8Array, of: string | Record<string, string> = {}) {
    return this.settled((await this.add(name, contents, of)).id);
  }

  settled(id: string): Promise<KnowledgeSource> {
    return until(
      () => this.get(id),
      ({ state }) => state !== 'waiting' && state !== 'reading',
    );
  }

  async get(sourceId: string): Promise<KnowledgeSource> {
    const answer = await this.#parley.request<KnowledgeSource>('GET', fill(ROUTES.getKnowledge.path, { sourceId }));
    expect([answer.status, answer.body]).toEqual([200, answer.body]);
    return answer.body;
  }

  async search(q: string, query: Record<string, string> = {}): Promise<KnowledgeHit[]> {
    const search = new URLSearchParams({ q, ...query });
    const { body } = await this.#parley.request<{ hits: KnowledgeHit[] }>('GET', `/api/knowledge-search?${search}`);
    matches(ROUTES.searchKnowledge.response, body);
    return body.hits;
  }

  /** The texts of all passages. */
  async texts(sourceId: string): Promise<string[]> {
    const route = `${fill(ROUTES.listKnowledgePassages.path, { sourceId })}?limit=200`;
    const { body } = await this.#parley.request<{ passages: { text: string }[] }>('GET', route);
    return body.passages.map(({ text }) => text);
  }
}

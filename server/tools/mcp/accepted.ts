import type { Db, McpDefinitionRow } from '../../storage/tables.ts';
import { type HashedDefinition, hashOffer } from './definition.ts';
import { replaceDefinitions, selectDefinitions } from './definition-store.ts';

/** By the name that the server gives a tool. */
export type Offer = ReadonlyMap<string, HashedDefinition>;

/** No tool is called this. The row says that a server was seen, even if it had no tools then. */
const SEEN = '';

/** What has been accepted of every server that was ever seen. Known without starting anything. */
export class AcceptedDefinitions {
  readonly #db: Db;
  readonly #now: () => number;
  readonly #byServer = new Map<string, Offer>();

  private constructor(db: Db, now: () => number) {
    this.#db = db;
    this.#now = now;
  }

  static async read(db: Db, now: () => number): Promise<AcceptedDefinitions> {
    const accepted = new AcceptedDefinitions(db, now);
    const rows = Map.groupBy(await selectDefinitions(db), (row) => row.server);
    for (const [server, own] of rows) accepted.#byServer.set(server, toOffer(own));
    return accepted;
  }

  /** Undefined when no offer of this server was ever accepted. */
  of(server: string): Offer | undefined {
    return this.#byServer.get(server);
  }

  async accept(server: string, offer: Offer): Promise<void> {
    const at = this.#now();
    const seen = { server, tool: SEEN, hash: hashOffer(offer.values()), definition: '{}', accepted_at: at };
    await replaceDefinitions(this.#db, server, [seen, ...toRows(server, offer, at)]);
    this.#byServer.set(server, offer);
  }
}

function toOffer(rows: readonly McpDefinitionRow[]): Offer {
  const tools = rows.filter((row) => row.tool !== SEEN);
  return new Map(tools.map(({ tool, hash, definition }) => [tool, { hash, definition: JSON.parse(definition) }]));
}

function toRows(server: string, offer: Offer, at: number): McpDefinitionRow[] {
  return Array.from(offer, ([tool, { hash, definition }]) => ({
    server,
    tool,
    hash,
    definition: JSON.stringify(definition),
    accepted_at: at,
  }));
}

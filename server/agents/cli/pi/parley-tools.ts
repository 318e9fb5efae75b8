import type { Client } from '@modelcontextprotocol/client';
import type { ToolEndpoint } from '../../host-requests.ts';
import type { JsonRecord } from '../json-program.ts';
import { textOfContent } from '../records.ts';

/** As long as the person may take to answer. */
const CALL_MS = 86_400_000;

/** Calls Parley's tools for Pi, which has no MCP, at the endpoint of the turn. */
export class ParleyTools {
  readonly #endpoint: ToolEndpoint;
  #client: Promise<Client> | undefined;

  constructor(endpoint: ToolEndpoint) {
    this.#endpoint = endpoint;
  }

  async call(name: string, input: JsonRecord, signal: AbortSignal): Promise<{ output: string; isError: boolean }> {
    this.#client ??= this.#connect();
    const options = { timeout: CALL_MS, signal };
    const result = await (await this.#client).callTool({ name, arguments: { ...input } }, options);
    return { output: textOfContent(result.content), isError: result.isError === true };
  }

  async close(): Promise<void> {
    const client = await this.#client?.catch(() => undefined);
    await client?.close();
  }

  async #connect(): Promise<Client> {
    // Loaded when it is first needed: it takes longer to load than the rest of a start.
    const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
    const { url, token } = this.#endpoint;
    const client = new Client({ name: 'parley-pi', version: '1.0.0' });
    const requestInit = { headers: { Authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
    return client;
  }
}

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { ToolEndpoint } from '../../../server/agents/host-requests.ts';

/** What an MCP client of the official library finds at the endpoint of a turn. */
export class ParleyTools {
  readonly #client = new Client({ name: 'scripted', version: '1.0.0' });

  static async over(way: string, { url, token, bridge }: ToolEndpoint): Promise<ParleyTools> {
    const tools = new ParleyTools();
    const { command, args, env } = bridge;
    const http = { requestInit: { headers: { Authorization: `Bearer ${token}` } } };
    const transport =
      way === 'http'
        ? new StreamableHTTPClientTransport(new URL(url), http)
        : new StdioClientTransport({ command, args: [...args], env: { ...env }, stderr: 'ignore' });
    await tools.#client.connect(transport);
    return tools;
  }

  async names(): Promise<string[]> {
    return (await this.#client.listTools()).tools.map(({ name }) => name);
  }

  async call(name: string, input: string): Promise<string> {
    const result = await this.#client.callTool({ name, arguments: JSON.parse(input) });
    const text = result.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
    return result.isError ? `error: ${text}` : text;
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}

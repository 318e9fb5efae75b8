import type { McpServer } from '@agentclientprotocol/sdk';
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

  /** As an ACP session names them. */
  static ofAcp([server]: readonly McpServer[]): Promise<ParleyTools> {
    if (!server) throw new Error('The session was given no MCP server.');
    if ('type' in server) {
      const token = server.headers.find(({ name }) => name === 'Authorization')!.value.replace('Bearer ', '');
      return ParleyTools.over('http', { url: server.url, token, bridge: { command: '', args: [], env: {} } });
    }
    const env = Object.fromEntries(server.env.map(({ name, value }) => [name, value]));
    const { command, args } = server;
    return ParleyTools.over('stdio', { url: '', token: '', bridge: { command, args, env } });
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

import type { Tool } from './tool.ts';

/** The bytes that the tools of one MCP server can take in a request: about 25,000 tokens. */
export const MOST_REQUEST_BYTES = 100_000;

/** Without the tools with which an MCP server would exceed its share of a request. */
export function withinRequest(tools: readonly Tool[]): Tool[] {
  const taken = new Map<string, number>();
  return tools.filter((tool) => {
    if (tool.source.kind !== 'mcp') return true;
    const bytes = (taken.get(tool.source.id) ?? 0) + requestBytes(tool);
    taken.set(tool.source.id, bytes);
    return bytes <= MOST_REQUEST_BYTES;
  });
}

const measured = new WeakMap<Tool, number>();

function requestBytes(tool: Tool): number {
  const known = measured.get(tool);
  if (known !== undefined) return known;
  const { name, description, inputSchema } = tool;
  const bytes = Buffer.byteLength(JSON.stringify({ name, description, inputSchema }));
  measured.set(tool, bytes);
  return bytes;
}

import { createHash } from 'node:crypto';

const MOST_CHARACTERS = 64;
const MARK_CHARACTERS = 16;
const RESERVED = 'system_';

/**
 * What agents call a tool of a server: `server__tool`, in the characters that every model takes. A name that has to be
 * changed for this carries a mark of the original, and so does one that looks as if it carried one: whatever else the
 * server offers, no tool can come to stand under another's name, and under what was granted to it.
 */
export function qualifiedName(server: string, tool: string): string {
  const name = prefix(server) + tool;
  const isPlain = /^[A-Za-z0-9_-]+$/.test(tool) && !/_[0-9a-f]{16}$/.test(tool);
  return isPlain && name.length <= MOST_CHARACTERS ? name : markedName(server, tool);
}

function markedName(server: string, tool: string): string {
  const mark = createHash('sha256').update(tool).digest('hex').slice(0, MARK_CHARACTERS);
  const most = MOST_CHARACTERS - prefix(server).length - MARK_CHARACTERS - 1;
  const readable = tool.slice(0, most).replace(/[^A-Za-z0-9_-]/g, '_');
  return `${prefix(server)}${readable}_${mark}`;
}

/** No server is called so that its tools look built in. */
function prefix(server: string): string {
  const plain = `${server}__`;
  return plain.startsWith(RESERVED) ? `mcp_${plain}` : plain;
}

import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import type { ToolOutput } from '../tool.ts';

/** What an agent reads of a result. Pictures, sounds and other bytes are named, not shown. */
export function toOutput(result: CallToolResult): ToolOutput {
  const content = result.content ?? [];
  const text = content.map(toText).join('\n\n') || structuredText(result.structuredContent);
  return { text, isError: result.isError === true };
}

function structuredText(content: unknown): string {
  return content === undefined ? 'The tool finished without output.' : JSON.stringify(content, null, 2);
}

function toText(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
    case 'audio':
      return `[${block.type}, ${block.mimeType}, ${sizeOf(block.data)}]`;
    case 'resource_link':
      return `[resource ${block.name}: ${block.uri}]`;
    case 'resource':
      return resourceText(block.resource);
    default:
      return unknownText(block);
  }
}

function resourceText(resource: { uri: string; mimeType?: string | undefined; text?: string; blob?: string }): string {
  if (resource.text !== undefined) return `[resource ${resource.uri}]\n${resource.text}`;
  return `[resource ${resource.uri}, ${resource.mimeType ?? 'bytes'}, ${sizeOf(resource.blob ?? '')}]`;
}

function sizeOf(base64: string): string {
  return `${Buffer.byteLength(base64, 'base64')} bytes`;
}

/** A later version of the protocol may know more kinds. */
function unknownText(block: never): string {
  return `[${String((block as { type?: unknown }).type)}]`;
}

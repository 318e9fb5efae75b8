import { z } from 'zod';
import { Id } from '../../../../contract/names.ts';
import { defineTool } from '../../define-tool.ts';
import { commandOf, type Plugin } from '../../plugin.ts';
import { type ToolContext, ToolFailure } from '../../tool.ts';

export interface SystemSettings {
  /**
   * The whole output of an earlier call that the caller may see: one of the same owner, in the same session (or, where
   * there is none, by the same person). Null when there is no such call.
   */
  readonly readOutput: (
    from: Pick<ToolContext, 'owner' | 'agentId' | 'sessionId' | 'turnId'>,
    callId: string,
  ) => Promise<string | null>;
}

const ID = 'system';
const source = { kind: 'built-in', id: ID } as const;

/** There for every agent, whatever its lists say. Not a skill: they are about the turn itself. */
export function systemPlugin(settings: SystemSettings): Plugin {
  return {
    id: ID,
    description: 'The current time, and the rest of truncated outputs.',
    skillPath: null,
    command: commandOf(ID),
    tools: [time(), toolOutput(settings)],
  };
}

function time() {
  const timeZone = z.string().max(100).default('UTC').describe('For example Europe/Zurich');
  return defineTool(
    {
      name: 'system_time',
      description: 'Get the current date and time.',
      input: z.strictObject({ timeZone }),
      risk: 'read',
      atomic: true,
      source,
    },
    async ({ timeZone }) => {
      const now = new Date();
      return `${inZone(now, timeZone)} (${now.toISOString()})`;
    },
  );
}

function inZone(time: Date, timeZone: string): string {
  try {
    return formatOf(timeZone).format(time);
  } catch {
    throw new ToolFailure('Unknown time zone. Use a name such as Europe/Zurich.', 'invalid_input');
  }
}

/** To make a format takes longer than everything else that a call does. */
const formats = new Map<string, Intl.DateTimeFormat>();
const MOST_FORMATS = 50;

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'long', timeZone });
  if (formats.size >= MOST_FORMATS) formats.clear();
  formats.set(timeZone, format);
  return format;
}

function toolOutput({ readOutput }: SystemSettings) {
  const input = z.strictObject({
    callId: Id,
    offset: z.int().min(0).default(0).describe('First byte'),
    length: z.int().min(1).max(100_000).default(12_000).describe('Number of bytes'),
  });
  return defineTool(
    {
      name: 'system_tool_output',
      description: "Read more of an earlier tool call's output that was truncated.",
      input,
      risk: 'read',
      source,
    },
    async ({ callId, offset, length }, context) => {
      const output = await readOutput(context, callId);
      if (output === null) throw new ToolFailure(`No output found for call ${callId}.`, 'not_found');
      return showStretch(Buffer.from(output), offset, length);
    },
  );
}

function showStretch(bytes: Buffer, offset: number, length: number): string {
  const from = characterStart(bytes, Math.min(offset, bytes.length));
  const to = characterStart(bytes, Math.min(from + length, bytes.length));
  const rest = bytes.length - to;
  const place = `[bytes ${from} to ${to} of ${bytes.length}${rest > 0 ? `; continue with offset ${to}` : ''}]`;
  return `${place}\n${bytes.toString('utf8', from, to)}`;
}

/** Where the character begins that a byte belongs to. */
function characterStart(bytes: Buffer, at: number): number {
  let start = at;
  while (start > 0 && start < bytes.length && (bytes[start]! & 0xc0) === 0x80) start -= 1;
  return start;
}

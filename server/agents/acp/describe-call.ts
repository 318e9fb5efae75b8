import type { ToolCallContent, ToolCallUpdate, ToolKind } from '@agentclientprotocol/sdk';
import type { ToolRisk } from '../../../contract/tools.ts';
import { describeDiff } from './describe-diff.ts';

/** What is known of a tool call: each update adds to it. */
export type KnownCall = Pick<
  ToolCallUpdate,
  'toolCallId' | 'name' | 'title' | 'kind' | 'content' | 'locations' | 'rawInput' | 'rawOutput' | '_meta'
>;

const IDENTIFIER = /^[\w.-]{1,64}$/;
/** Programs put the tool's name into the id of the call, twice: `write_file__write_file_1794727199118_0`. */
const NAME_IN_ID = /^([A-Za-z]\w*?)__\1_\d+/;

/** The tool's name, as policies and people know it; the kind of the call where the program gives none. */
export function nameOf(call: KnownCall): string {
  const title = call.title ?? '';
  return programNameOf(call) ?? (IDENTIFIER.test(title) && call.kind === 'other' ? title : (call.kind ?? 'tool'));
}

/** What only the program can have written: a title may come from the model. */
function programNameOf({ name, toolCallId, _meta }: KnownCall): string | undefined {
  const claude = _meta?.claudeCode as { toolName?: unknown } | undefined;
  const named = name ?? (typeof claude?.toolName === 'string' ? claude.toolName : undefined);
  return named ?? NAME_IN_ID.exec(toolCallId)?.[1];
}

const PARLEY_PREFIX = /^(?:mcp__parley__|mcp_parley_|parley_|mcp\.parley\.)(.+)$/;

/** The name of the tool of Parley that the program calls here; null when it is a tool of its own. */
export function parleyToolOf(call: KnownCall, offered: ReadonlySet<string>): string | null {
  const input = call.rawInput as { server?: unknown; tool?: unknown } | null | undefined;
  const isMcp = call._meta?.is_mcp_tool_call === true && input?.server === 'parley';
  const full = isMcp && typeof input.tool === 'string' ? `parley_${input.tool}` : (programNameOf(call) ?? nameOf(call));
  const name = PARLEY_PREFIX.exec(full)?.[1];
  return name !== undefined && offered.has(name) ? name : null;
}

/** All that the program says would run, as JSON. */
export function inputOf({ rawInput, title, locations, content }: KnownCall): string {
  if (isFilled(rawInput)) return JSON.stringify(rawInput);
  const paths = locations?.map(({ path }) => path) ?? [];
  const text = textOf(content ?? []);
  return JSON.stringify({ ...(title && { title }), ...(paths.length > 0 && { paths }), ...(text && { text }) });
}

function isFilled(input: unknown): boolean {
  if (typeof input === 'object' && input !== null) return Object.keys(input).length > 0;
  return input !== undefined && input !== null && input !== '';
}

/** Whether enough is known to show what is called. */
export function hasInput({ rawInput, content, locations }: KnownCall): boolean {
  return isFilled(rawInput) || (content?.length ?? 0) > 0 || (locations?.length ?? 0) > 0;
}

/** What the call changes, as far as the program shows it. */
export function diffsOf({ content }: KnownCall): string | undefined {
  const diffs = (content ?? []).flatMap((part) => (part.type === 'diff' ? [describeDiff(part)] : []));
  return diffs.length > 0 ? diffs.join('\n') : undefined;
}

/** What came of the call. */
export function outputOf(call: KnownCall, terminal: string): string {
  const shown = [textOf(call.content ?? []), diffsOf(call) ?? '', terminal].filter((text) => text !== '').join('\n');
  return shown || rawText(call.rawOutput);
}

function textOf(content: readonly ToolCallContent[]): string {
  const texts = content.flatMap((part) =>
    part.type === 'content' && part.content.type === 'text' ? [part.content.text] : [],
  );
  return texts.join('\n');
}

function rawText(output: unknown): string {
  if (output === undefined || output === null) return '';
  return typeof output === 'string' ? output : JSON.stringify(output);
}

/** What an unknown kind does is not known: it counts as the most it could be. */
export function riskOf(kind: ToolKind | null | undefined): ToolRisk {
  switch (kind) {
    case 'read':
    case 'search':
    case 'think':
    case 'fetch':
      return 'read';
    case 'edit':
    case 'delete':
    case 'move':
      return 'write';
    default:
      return 'execute';
  }
}

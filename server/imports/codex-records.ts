import { z } from 'zod';

const count = z.number().nonnegative().catch(0);

const Content = z.array(z.object({ type: z.string(), text: z.string().optional() }));

export const CodexUsage = z.object({
  input_tokens: count,
  cached_input_tokens: count,
  output_tokens: count,
  reasoning_output_tokens: count,
});
export type CodexUsage = z.infer<typeof CodexUsage>;

/** What is read of an item that was shown. */
const Item = z.object({
  type: z.string(),
  id: z.string().optional(),
  content: Content.optional().catch(undefined),
  summary_text: z.array(z.string()).optional().catch(undefined),
  aggregated_output: z.string().nullish(),
  exit_code: z.number().nullish(),
});
export type CodexItem = z.infer<typeof Item>;

const Payload = z.object({
  type: z.string().optional(),
  // session_meta
  id: z.string().optional(),
  timestamp: z.string().optional(),
  cwd: z.string().optional(),
  history_mode: z.string().optional(),
  thread_source: z.string().optional(),
  parent_thread_id: z.string().nullish(),
  history_base: z.object({ thread_id: z.string(), end_byte_offset: z.number().optional() }).optional().catch(undefined),
  // turn_context
  model: z.string().optional().catch(undefined),
  // event_msg
  item: Item.optional().catch(undefined),
  message: z.string().optional().catch(undefined),
  text: z.string().optional().catch(undefined),
  kind: z.string().optional().catch(undefined),
  num_turns: z.number().optional().catch(undefined),
  info: z.object({ total_token_usage: CodexUsage.optional() }).nullish().catch(undefined),
  // response_item
  name: z.string().optional().catch(undefined),
  arguments: z.string().optional().catch(undefined),
  input: z.string().optional().catch(undefined),
  action: z.unknown().optional(),
  call_id: z.string().optional().catch(undefined),
  output: z.unknown().optional(),
  // token_usage_record
  response_id: z.string().optional(),
  usage: CodexUsage.optional().catch(undefined),
});
export type CodexPayload = z.infer<typeof Payload>;

export const CodexRecord = z.object({ timestamp: z.string().optional(), type: z.string(), payload: Payload });
export type CodexRecord = z.infer<typeof CodexRecord>;

export function parseCodex(record: unknown): CodexRecord | undefined {
  return CodexRecord.safeParse(record).data;
}

/** What the person said, in either format; null when the record is something else. */
export function personText({ type, payload }: CodexRecord): string | null {
  if (type !== 'event_msg') return null;
  const text = payload.type === 'user_message' ? spokenText(payload) : itemText(payload, 'UserMessage');
  return text === null || /^\s*<(user_shell_command|environment_context|turn_aborted)/.test(text) ? null : text;
}

/** Old files also note what the program itself sent in the person's place. */
function spokenText({ message, kind }: CodexPayload): string | null {
  return kind === undefined || kind === 'plain' ? (message ?? null) : null;
}

export function itemText({ type, item }: CodexPayload, itemType: string): string | null {
  if (type !== 'item_completed' || item?.type !== itemType) return null;
  return (item.content ?? []).flatMap(({ text }) => (text ? [text] : [])).join('\n\n');
}

const Output = z.object({ content: z.string() });

/** Text, or an object or a list that holds it. */
export function outputText(output: unknown): string {
  if (typeof output === 'string') return output;
  const held = Output.safeParse(output).data?.content;
  if (held !== undefined) return held;
  return (Content.safeParse(output).data ?? []).map(({ type, text }) => text ?? `[${type}]`).join('\n');
}

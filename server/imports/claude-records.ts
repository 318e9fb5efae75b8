import { z } from 'zod';

const count = z.number().nonnegative().catch(0);

const ContentBlock = z.object({
  type: z.string(),
  text: z.string().optional(),
  thinking: z.string().optional(),
  id: z.string().optional(),
  name: z.string().optional(),
  input: z.unknown().optional(),
  tool_use_id: z.string().optional(),
  content: z.unknown().optional(),
  is_error: z.boolean().nullish(),
  source: z.object({ media_type: z.string().optional(), data: z.string().optional() }).optional().catch(undefined),
});
export type ContentBlock = z.infer<typeof ContentBlock>;

/** What is read of a record; there are many kinds, of which most are not shown. */
export const ClaudeRecord = z.object({
  type: z.string(),
  uuid: z.string().optional(),
  parentUuid: z.string().nullish(),
  logicalParentUuid: z.string().nullish(),
  timestamp: z.string().optional(),
  cwd: z.string().optional(),
  isSidechain: z.boolean().optional(),
  isMeta: z.boolean().optional(),
  isCompactSummary: z.boolean().optional(),
  isAbortedMidStream: z.boolean().optional(),
  origin: z.object({ kind: z.string() }).optional().catch(undefined),
  customTitle: z.string().optional(),
  aiTitle: z.string().optional(),
  lastPrompt: z.string().optional(),
  totalCostUSD: z.number().nonnegative().optional(),
  message: z
    .object({
      id: z.string().optional(),
      model: z.string().optional(),
      content: z.union([z.string(), z.array(ContentBlock)]).optional(),
      usage: z
        .object({
          input_tokens: count,
          output_tokens: count,
          cache_read_input_tokens: count,
          cache_creation_input_tokens: count,
        })
        .optional()
        .catch(undefined),
    })
    .optional(),
});
export type ClaudeRecord = z.infer<typeof ClaudeRecord>;

/** Texts in the person's place that are not the person's words. */
const NOT_SAID = /^\s*<(task-notification|command-name|command-message|local-command-|bash-|system-reminder)/;
const INTERRUPTION = /^\[Request interrupted by user/;

/** Why a record in the person's place is not what the person said; null when it is. */
export function hiddenReason(record: ClaudeRecord): 'meta' | 'summary' | 'interruption' | null {
  if (record.isCompactSummary) return 'summary';
  if (record.isMeta || (record.origin && record.origin.kind !== 'human')) return 'meta';
  const text = textOfContent(record.message?.content);
  if (INTERRUPTION.test(text)) return 'interruption';
  return NOT_SAID.test(text) ? 'meta' : null;
}

export function textOfContent(content: string | readonly ContentBlock[] | undefined): string {
  if (typeof content === 'string') return content;
  return (content ?? []).flatMap(({ type, text }) => (type === 'text' && text ? [text] : [])).join('\n\n');
}

const Blocks = z.array(z.object({ type: z.string(), text: z.string().optional() }));

/** What a tool gave: text, or blocks of which some are text. */
export function resultText(content: unknown): string {
  if (typeof content === 'string') return content;
  const blocks = Blocks.safeParse(content).data ?? [];
  return blocks.map(({ type, text }) => text ?? `[${type}]`).join('\n');
}

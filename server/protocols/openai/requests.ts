import { z } from 'zod';
import { Id } from '../../../contract/names.ts';
import { check } from '../../validation.ts';
import { invalid, unsupported } from './errors.ts';

const ImageUrl = z.union([z.string(), z.object({ url: z.string() }).transform(({ url }) => url)]);

const FileData = z.object({
  filename: z.string().nullish(),
  file_data: z.string().nullish(),
  file_id: z.string().nullish(),
  file_url: z.string().nullish(),
});

/** Parts of both interfaces: `text`, `image_url` and `file`, or `input_text`, `output_text`, `input_image` and `input_file`. */
const ContentPart = FileData.extend({
  type: z.string(),
  text: z.string().optional(),
  image_url: ImageUrl.nullish(),
  file: FileData.optional(),
  refusal: z.string().optional(),
});
export type ContentPart = z.infer<typeof ContentPart>;

const Content = z.union([z.string(), z.array(ContentPart)]).nullish();

const Metadata = z.looseObject({ parley_session: Id.optional() }).nullish();

/** Fields that are not named here, such as temperature, are the agent's own affair. */
const common = {
  model: z.string().min(1).max(256),
  stream: z.boolean().nullish(),
  metadata: Metadata,
  tools: z.array(z.unknown()).nullish(),
};

const ChatMessage = z.object({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
  content: Content,
  name: z.string().optional(),
  tool_calls: z.array(z.unknown()).nullish(),
});
export type ChatMessage = z.infer<typeof ChatMessage>;

const ChatRequest = z.object({
  ...common,
  messages: z.array(ChatMessage).min(1).max(10_000),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
  functions: z.array(z.unknown()).nullish(),
  n: z.int().nullish(),
  audio: z.unknown().optional(),
  response_format: z.object({ type: z.string() }).nullish(),
});
export type ChatRequest = z.infer<typeof ChatRequest>;

const InputItem = z.object({
  type: z.string().optional(),
  role: z.enum(['system', 'developer', 'user', 'assistant']).optional(),
  content: Content,
});

const ResponsesRequest = z.object({
  ...common,
  input: z.union([z.string(), z.array(InputItem).max(10_000)]),
  instructions: z.string().nullish(),
  previous_response_id: z.string().nullish(),
  conversation: z.union([Id, z.object({ id: Id }).transform(({ id }) => id)]).nullish(),
  background: z.boolean().nullish(),
  text: z.object({ format: z.object({ type: z.string() }).nullish() }).nullish(),
});
export type ResponsesRequest = z.infer<typeof ResponsesRequest>;

export function readChatRequest(body: unknown): ChatRequest {
  const request = parse(ChatRequest, body);
  assertNoTools(request);
  if (request.functions?.length) throw unsupported('functions');
  if ((request.n ?? 1) !== 1) throw unsupported('n');
  if (request.audio) throw unsupported('audio');
  if ((request.response_format?.type ?? 'text') !== 'text') throw unsupported('response_format');
  return request;
}

export function readResponsesRequest(body: unknown): ResponsesRequest {
  const request = parse(ResponsesRequest, body);
  assertNoTools(request);
  if ((request.text?.format?.type ?? 'text') !== 'text') throw unsupported('text.format');
  return request;
}

/** The id of a session comes in a header, which no schema of a body has read. */
export function readSessionId(header: string): string {
  return parse(z.object({ 'X-Parley-Session': Id }), { 'X-Parley-Session': header })['X-Parley-Session'];
}

/** The items of a response's input as messages. Reasoning that a client sends back is the model's own affair. */
export function messagesOf({ input, instructions }: ResponsesRequest): ChatMessage[] {
  const first: ChatMessage[] = instructions ? [{ role: 'system', content: instructions }] : [];
  if (typeof input === 'string') return [...first, { role: 'user', content: input }];
  const items = input.filter(({ type }) => type !== 'reasoning');
  return [
    ...first,
    ...items.map(({ type, role, content }, index): ChatMessage => {
      if (role === undefined || (type ?? 'message') !== 'message') throw unsupported(`input[${index}].type`);
      return { role, content };
    }),
  ];
}

/** An agent has the tools that its definition gives it; those of a client cannot be called from here. */
function assertNoTools({ tools }: { tools?: unknown[] | null | undefined }): void {
  if (tools?.length) throw unsupported('tools');
}

function parse<T>(schema: z.ZodType<T>, body: unknown): T {
  const checked = check(schema, body ?? {});
  if (checked.issues.length === 0) return checked.value as T;
  throw invalid(checked.issues[0]!);
}

import { z } from 'zod';
import type { FilePart } from '../../../contract/files.ts';
import type { Message } from '../../../contract/messages.ts';
import { ROUTES } from '../../../contract/routes.ts';
import { check } from '../../validation.ts';
import { invalid } from './errors.ts';

const ItemsQuery = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  order: z.enum(['asc', 'desc']).default('desc'),
  after: z.string().max(200).optional(),
});
type ItemsQuery = z.infer<typeof ItemsQuery>;

export function readItemsQuery(query: Record<string, string>): ItemsQuery {
  const checked = check(ItemsQuery, query);
  if (checked.issues.length === 0) return checked.value as ItemsQuery;
  throw invalid(checked.issues[0]!);
}

/** A page of what was said up to a message, that message included, as items of the input of a response. */
export function inputItems(messages: readonly Message[], origin: string, { limit, order, after }: ItemsQuery): object {
  const items = messages.filter(({ role }) => role !== 'delegation').map((message) => toItem(message, origin));
  if (order === 'desc') items.reverse();
  const first = items.findIndex(({ id }) => id === after) + 1;
  if (after !== undefined && first === 0) throw invalid('after must be the id of an item of this list');
  const data = items.slice(first, first + limit);
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: first + limit < items.length,
  };
}

/** An answer has the id under which its response has shown it. */
function toItem({ id, turnId, role, text, parts }: Message, origin: string) {
  const isAnswer = role === 'assistant';
  const words = isAnswer ? { type: 'output_text', text, annotations: [], logprobs: [] } : { type: 'input_text', text };
  const files = parts.flatMap((part) => (part.type === 'file' && !isAnswer ? [toFile(part, origin)] : []));
  const content = [...(text === '' && files.length > 0 ? [] : [words]), ...files];
  const itemId = `msg_${isAnswer ? (turnId ?? id) : id}`;
  return { id: itemId, type: 'message', status: 'completed', role: isAnswer ? 'assistant' : 'user', content };
}

/** By its address, which needs the credential that every request needs. */
function toFile({ fileId, name, kind }: FilePart, origin: string): object {
  const address = fileId === null ? null : origin + ROUTES.readFile.path.replace('{fileId}', fileId);
  if (kind === 'image') return { type: 'input_image', detail: 'auto', file_id: null, image_url: address };
  return { type: 'input_file', filename: name, file_url: address };
}

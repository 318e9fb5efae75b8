import type { Part } from '../../contract/messages.ts';
import type { CompactionRow } from '../storage/tables.ts';
import { escapeInline, quoteText } from './export-quote.ts';
import type { Snapshot } from './export-snapshot.ts';
import type { StoredMessage } from './message-store.ts';
import { toMessage, toTime } from './views.ts';

type Pages = () => AsyncIterable<StoredMessage[]>;

/** Words that were said stand in quotations, whatever they are; only lines outside of them say who speaks. */
export async function* markdownOf(snapshot: Snapshot, pages: Pages): AsyncGenerator<string> {
  yield titleOf(snapshot);
  const summaries = new Map(snapshot.compactions.map((row) => [row.last_message_id, row]));
  yield* messagesOf(pages, (row) => row.on_path === 1, summaries);
  if (snapshot.count === snapshot.path.size) return;
  yield '## Other branches\n\n';
  yield* messagesOf(pages, (row) => row.on_path !== 1, summaries);
}

function titleOf({ session, path, count }: Snapshot): string {
  const facts = [
    `Session: ${escapeInline(session.id)}`,
    `Primary agent: ${session.agent_id ? escapeInline(session.agent_id) : 'none'}`,
    `Agents: ${(JSON.parse(session.agents) as string[]).map(escapeInline).join(', ') || 'none'}`,
    `Sender: ${escapeInline(session.sender)}`,
    ...(session.folder ? [`Folder: ${escapeInline(session.folder)}`] : []),
    `Created: ${toTime(session.created_at)}`,
    `Messages: ${path.size}${count > path.size ? `, and ${count - path.size} on other branches` : ''}`,
  ];
  const title = escapeInline(session.name ?? session.title ?? 'New session');
  return `# ${title}\n\n${facts.map((fact) => `- ${fact}\n`).join('')}\n`;
}

async function* messagesOf(
  pages: Pages,
  wanted: (row: StoredMessage) => boolean,
  summaries: ReadonlyMap<string, CompactionRow>,
): AsyncGenerator<string> {
  const places = new Map<string, number>();
  for await (const page of pages()) {
    for (const row of page) places.set(row.id, row.seq!);
    yield page
      .filter(wanted)
      .map((row) => messageOf(row, places) + summaryAfter(summaries.get(row.id)))
      .join('');
  }
}

function messageOf(row: StoredMessage, places: ReadonlyMap<string, number>): string {
  const parent = row.parent_id ? places.get(row.parent_id) : undefined;
  const marks = [
    `#${row.seq}`,
    toTime(row.created_at),
    ...(row.on_path === 1 ? [] : [parent ? `after #${parent}` : 'at the beginning']),
    ...(row.status === 'interrupted' ? ['interrupted'] : []),
    ...(row.compaction_id ? ['archived'] : []),
  ];
  return `${speakerOf(row)} · ${marks.join(' · ')}\n\n${contentsOf(row)}`;
}

/** `Assistant` only for old messages that do not say who spoke. */
function speakerOf(row: StoredMessage): string {
  if (row.role === 'user') return '**User**';
  return `**${row.agent_id ? escapeInline(row.agent_id) : 'Assistant'}**${row.guest ? ' (guest)' : ''}`;
}

/** What was said and, between it, what was done and what came of it. */
function contentsOf(row: StoredMessage): string {
  const { parts, text } = toMessage(row);
  if (!parts.some(({ type }) => type === 'tool_call' || type === 'file')) return text ? quoteText(text) : '';
  return parts.map(partOf).join('');
}

function partOf(part: Part): string {
  switch (part.type) {
    case 'text':
      return quoteText(part.text);
    case 'tool_call':
      return callOf(part);
    case 'tool_result':
      return `${part.isError ? 'Failed' : 'Result of'} ${escapeInline(part.name)}:\n\n${quoteText(part.output)}`;
    case 'file':
      return `Attached: ${escapeInline(part.name)} (${escapeInline(part.mediaType)}, ${part.bytes} bytes)\n\n`;
    case 'reasoning':
    case 'delegation':
      return '';
    default:
      return part satisfies never;
  }
}

function callOf({ name, input, state }: Extract<Part, { type: 'tool_call' }>): string {
  const what = state === 'rejected' ? 'Rejected tool call' : 'Tool call';
  const how = state === 'complete' || state === 'rejected' ? '' : ` (${state})`;
  return `${what}: ${escapeInline(name)}${how}\n\n${quoteText(input)}`;
}

function summaryAfter(row: CompactionRow | undefined): string {
  if (!row) return '';
  const what = `${row.archived_count} earlier messages are archived. In requests, this summary stands for them`;
  return `---\n\n*${what} (written by ${escapeInline(row.agent_id)}, ${toTime(row.created_at)}):*\n\n${quoteText(row.summary)}---\n\n`;
}

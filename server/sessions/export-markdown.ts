import { foldName } from '../../contract/agent-names.ts';
import { describeContext, readContextLine } from '../../contract/context-line.ts';
import type { CutReason } from '../../contract/cut-answer.ts';
import type { Part } from '../../contract/messages.ts';
import { agentLabel, speakerLabel, speakerOf } from '../../contract/speakers.ts';
import { UNNAMED_SESSION } from '../../contract/unnamed-session.ts';
import type { CompactionRow } from '../storage/tables.ts';
import type { Snapshot } from './export-snapshot.ts';
import type { StoredMessage } from './message-store.ts';
import { toMessage, toTime } from './views.ts';

type Pages = () => AsyncIterable<StoredMessage[]>;

/** An agent's display name; undefined when there is no such agent any more. */
export type DisplayName = (agentId: string) => string | undefined;

/**
 * Second-level headings say who speaks. A text that holds such headings itself, or anything that reaches beyond it, is
 * quoted; every other text stands as it was said.
 */
export async function* markdownOf(snapshot: Snapshot, pages: Pages, nameOf: DisplayName): AsyncGenerator<string> {
  const names = new Names(snapshot, nameOf);
  yield titleOf(snapshot, names);
  const summaries = new Map(snapshot.compactions.map((row) => [row.last_message_id, row]));
  yield* messagesOf(pages, (row) => row.on_path === 1, { summaries, names, cut: snapshot.cut });
  if (snapshot.count === snapshot.path.size) return;
  yield '# Other branches\n\n';
  yield* messagesOf(pages, (row) => row.on_path !== 1, { summaries, names, cut: snapshot.cut });
}

function titleOf({ session, path, count }: Snapshot, names: Names): string {
  const facts = [
    `Session: ${escapeInline(session.id)}`,
    `Primary agent: ${session.agent_id ? escapeInline(names.full(session.agent_id)) : 'none'}`,
    `Agents: ${
      agentsOf(session)
        .map((id) => escapeInline(names.full(id)))
        .join(', ') || 'none'
    }`,
    `Sender: ${escapeInline(session.sender)}`,
    ...(session.folder ? [`Folder: ${escapeInline(session.folder)}`] : []),
    `Created: ${toTime(session.created_at)}`,
    `Messages: ${path.size}${count > path.size ? `, and ${count - path.size} on other branches` : ''}`,
  ];
  const title = escapeInline(session.name ?? session.title ?? UNNAMED_SESSION);
  return `# ${title}\n\n${facts.map((fact) => `- ${fact}\n`).join('')}\n`;
}

interface Known {
  summaries: ReadonlyMap<string, CompactionRow>;
  names: Names;
  cut: Snapshot['cut'];
}

interface MessageNumbers {
  places: ReadonlyMap<string, number>;
}

const CUT_MARKS: Record<CutReason, string> = {
  length: 'cut off at the output limit',
  content_filter: 'cut off by the content filter',
  limit_stop: 'stopped at a limit',
};

async function* messagesOf(
  pages: Pages,
  wanted: (row: StoredMessage) => boolean,
  { summaries, names, cut }: Known,
): AsyncGenerator<string> {
  const places = new Map<string, number>();
  for await (const page of pages()) {
    for (const row of page) places.set(row.id, row.seq!);
    yield page
      .filter(wanted)
      .map((row) => messageOf(row, { places, names, cut }) + summaryAfter(summaries.get(row.id), names))
      .join('');
  }
}

function messageOf(row: StoredMessage, { places, names, cut }: Omit<Known, 'summaries'> & MessageNumbers): string {
  const reason = cut.get(row.id);
  const parent = row.parent_id ? places.get(row.parent_id) : undefined;
  const marks = [
    `#${row.seq}`,
    toTime(row.created_at),
    ...(row.on_path === 1 ? [] : [parent ? `after #${parent}` : 'at the start']),
    ...(row.status === 'interrupted' ? ['interrupted'] : []),
    ...(reason ? [CUT_MARKS[reason]] : []),
    ...(row.compaction_id ? ['archived'] : []),
  ];
  return `## ${headingOf(row, names)} · ${marks.join(' · ')}\n\n${contentsOf(row)}`;
}

function headingOf(row: StoredMessage, names: Names): string {
  const { role, agent, parts } = toMessage(row);
  const label = speakerLabel(speakerOf({ role, agent, parts }), (agentId) => names.short(agentId));
  return `${escapeInline(label)}${row.guest ? ' (guest)' : ''}`;
}

/** What was said and, between it, what was done and what came of it. */
function contentsOf(row: StoredMessage): string {
  const { parts, text } = toMessage(row);
  if (!parts.some(({ type }) => MORE_THAN_WORDS.has(type))) return text ? saidText(text) : '';
  return parts.map(partOf).join('');
}

function saidText(text: string): string {
  const looked = readContextLine(text);
  return looked
    ? `*Looking at: ${escapeInline(describeContext(looked.context))}*\n\n${plainOrQuoted(looked.words)}`
    : plainOrQuoted(text);
}

const MORE_THAN_WORDS: ReadonlySet<Part['type']> = new Set(['tool_call', 'file', 'notice', 'diff']);

function partOf(part: Part): string {
  switch (part.type) {
    case 'text':
      return saidText(part.text);
    case 'tool_call':
      return callOf(part);
    case 'tool_result':
      return `${part.isError ? 'Failed' : 'Result of'} ${escapeInline(part.name)}:\n\n${quoteText(part.output)}`;
    case 'file':
      return `Attached: ${escapeInline(part.name)} (${escapeInline(part.mediaType)}, ${part.bytes} bytes)\n\n`;
    case 'notice':
      return `*${escapeInline(part.text)}*\n\n`;
    case 'diff':
      return diffOf(part);
    case 'reasoning':
    case 'delegation':
    case 'webhook':
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

function summaryAfter(row: CompactionRow | undefined, names: Names): string {
  if (!row) return '';
  const what = `${row.archived_count} earlier ${row.archived_count === 1 ? 'message is' : 'messages are'} archived. In requests, this summary replaces ${row.archived_count === 1 ? 'it' : 'them'}`;
  return `---\n\n*${what} (written by ${escapeInline(names.short(row.agent_id))}, ${toTime(row.created_at)}):*\n\n${quoteText(row.summary)}---\n\n`;
}

function agentsOf(session: Snapshot['session']): string[] {
  return JSON.parse(session.agents) as string[];
}

/** Agents by their display names; with the id where two are called alike, or where the name might mean another agent. */
class Names {
  readonly #nameOf: DisplayName;
  readonly #taken = new Map<string, Set<string>>();

  constructor({ session }: Snapshot, nameOf: DisplayName) {
    this.#nameOf = nameOf;
    for (const id of [...agentsOf(session), ...(session.agent_id ? [session.agent_id] : [])]) this.#take(id);
  }

  short(agentId: string): string {
    const name = this.#nameOf(agentId);
    if (name === undefined) return agentLabel(agentId);
    this.#take(agentId);
    return this.#taken.get(foldName(name))!.size > 1 ? this.full(agentId) : name;
  }

  full(agentId: string): string {
    const name = this.#nameOf(agentId);
    return name === undefined || name === agentId ? agentLabel(agentId) : `${name} (${agentId})`;
  }

  #take(agentId: string): void {
    for (const name of [this.#nameOf(agentId), agentId]) {
      if (name === undefined) continue;
      const owners = this.#taken.get(foldName(name)) ?? new Set();
      this.#taken.set(foldName(name), owners.add(agentId));
    }
  }
}

function diffOf({ files, isCut }: Extract<Part, { type: 'diff' }>): string {
  const lines = files.map(({ path, from, kind, added, removed }) => {
    const name = from === undefined ? path : `${from} → ${path}`;
    return `- ${escapeInline(name)} (${kind}${added === null ? '' : `, +${added} −${removed}`})\n`;
  });
  return `Changed files:\n\n${lines.join('')}${isCut ? '- …\n' : ''}\n`;
}

/** Every character that ends a line somewhere, not only the newline. */
const LINE_END = /\r\n|[\n\r\u0085\u2028\u2029\v\f]/g;

/**
 * Words as a quotation, every line marked: nothing inside can look like a line of ours, and what is left open inside
 * (code, lists, emphasis) ends with it. The words themselves stay as they are. Raw HTML is the one thing that reaches
 * beyond a quotation, in viewers that obey it; a text that holds some outside its own code is shown as code as a whole.
 */
export function quoteText(text: string): string {
  const shown = holdsHtml(text) ? fence(text) : text;
  return `> ${shown.replace(LINE_END, '$&> ')}\n\n`;
}

/** A text as it was said, unless something in it would be taken for our own or reach beyond it: then as a quotation. */
export function plainOrQuoted(text: string): string {
  return STRANGE_LINE_END.test(text) || holds(OURS, text) !== 'nothing' ? quoteText(text) : `${text}\n\n`;
}

function fence(text: string): string {
  let longest = 2;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const marks = '`'.repeat(longest + 1);
  return `${marks}\n${text}\n${marks}`;
}

/** Ends a line in some viewers only. */
const STRANGE_LINE_END = /[\u0085\u2028\u2029\v\f]/;
const TAG = /<(?:[A-Za-z][A-Za-z0-9-]*(?=[\s/>]|$)|[/!?])/;
const FENCE_LIKE = /^[\s>*+\-\d.)]*(?:```|~~~)/;
const OPENING = /^(?<marks>`{3,}|~{3,})(?<info>.*)$/;

/** First- and second-level headings, also underlined ones, and HTML. */
const OURS = new RegExp(`${TAG.source}|^[\\s>*+\\-\\d.)]*#{1,2}(?:\\s|$)|^[\\s>*+\\d.)]*(?:=+|-+)\\s*$`);

function holdsHtml(text: string): boolean {
  return TAG.test(text) && holds(TAG, text) === 'wanted';
}

/**
 * What a text holds outside its fenced code; `wanted` when in doubt. Fences are trusted only where they begin their
 * line, since there every viewer sees them alike; anything that may be a fence elsewhere makes the whole text doubtful.
 */
function holds(wanted: RegExp, text: string): 'wanted' | 'open fence' | 'nothing' {
  let closing: RegExp | undefined;
  // Only these two end a line in Markdown.
  for (const line of text.split(/\r\n|[\n\r]/)) {
    if (closing) {
      if (closing.test(line)) closing = undefined;
      continue;
    }
    const opening = OPENING.exec(line)?.groups;
    if (opening && !opening.info!.includes('`')) closing = closingOf(opening.marks!);
    else if (opening || FENCE_LIKE.test(line) || wanted.test(line)) return 'wanted';
  }
  return closing ? 'open fence' : 'nothing';
}

function closingOf(marks: string): RegExp {
  return new RegExp(`^ {0,3}\\${marks[0]}{${marks.length},}[ \\t]*$`);
}

/** A name or title as plain words on one line: nothing in it is read as Markdown. */
export function escapeInline(text: string): string {
  return text
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .replace(/[!"#$%&'()*+,./:;<=>?@[\\\]^_`{|}~-]/g, escapeMark);
}

/** Between letters these mean nothing to Markdown, and names of agents stay readable. */
function escapeMark(mark: string): string {
  return mark === '/' || mark === '-' || mark === '.' || mark === ',' ? mark : `\\${mark}`;
}

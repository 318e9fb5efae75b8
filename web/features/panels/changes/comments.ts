import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { text } from '../../../i18n/panel-words.ts';
import { recall, remember } from '../../../state/device-memory.ts';

/** What a person says about a line of a change. Kept on this device until it is sent. */
export interface LineComment {
  readonly id: string;
  readonly path: string;
  /** In the file after the change; of a line that is gone, in the file before it. */
  readonly line: number;
  readonly side: 'new' | 'old';
  /** The line itself. */
  readonly code: string;
  readonly words: string;
}

type Comments = Readonly<Record<string, readonly LineComment[]>>;

const KEY = 'parley.changeComments';
const KEPT = 20;
const MOST_CODE = 400;
const NONE: readonly LineComment[] = [];

/** By session. */
const comments = createStore<Comments>()(() => recall(KEY, {}));

export function useComments(sessionId: string): readonly LineComment[] {
  return useStore(comments, (all) => all[sessionId] ?? NONE);
}

export function putComment(sessionId: string, comment: LineComment): void {
  const others = of(sessionId).filter(({ id }) => id !== comment.id);
  put(sessionId, comment.words.trim() === '' ? others : [...others, comment]);
}

export function dropComment(sessionId: string, id: string): void {
  put(
    sessionId,
    of(sessionId).filter((comment) => comment.id !== id),
  );
}

/** Goes with the next message, by file and line, each with the line that it is about. */
export function tellComments(sessionId: string): string | null {
  const all = [...of(sessionId)].sort((a, b) => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1));
  if (all.length === 0) return null;
  put(sessionId, NONE);
  return [text('changes.told'), ...all.map(written)].join('\n\n');
}

function written({ path, line, side, code, words }: LineComment): string {
  const place = side === 'old' ? text('changes.removedLine', { line }) : String(line);
  const fence = '`'.repeat(Math.max(3, longestRun(code) + 1));
  return `**${asCode(path)}:${place}**\n\n${fence}\n${code.slice(0, MOST_CODE)}\n${fence}\n\n${words.trim()}`;
}

function asCode(words: string): string {
  const ticks = '`'.repeat(longestRun(words) + 1);
  return `${ticks}${words.replace(/\s+/g, ' ')}${ticks}`;
}

/** Of backticks: a longer run holds them together. */
function longestRun(words: string): number {
  return Math.max(0, ...(words.match(/`+/g) ?? []).map((run) => run.length));
}

function of(sessionId: string): readonly LineComment[] {
  return comments.getState()[sessionId] ?? NONE;
}

function put(sessionId: string, list: readonly LineComment[]): void {
  const { [sessionId]: _, ...others } = comments.getState();
  const kept = Object.entries(others).slice(1 - KEPT);
  const next = Object.fromEntries(list.length > 0 ? [...kept, [sessionId, list]] : kept);
  comments.setState(next, true);
  remember(KEY, next);
}

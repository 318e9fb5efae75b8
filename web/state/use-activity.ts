import type { Action } from '../../contract/actions.ts';
import type { TextKey } from '../i18n/en.ts';
import { text, useText } from '../i18n/text.ts';
import { type Activity, lastSentence } from '../live/activity.ts';
import { useLive } from '../live/use-live.ts';
import { plainSnippet } from '../markdown/plain-snippet.tsx';

/** What an agent does in a session, in a few words: a tool and what it works on, or what it said last. */
export function useActivityLine(sessionId: string, agentId: string | null): string | null {
  useText();
  return useLive(({ activities }) => {
    const activity = activities.get(sessionId);
    const isTheirs = activity && (agentId === null || activity.agentId === null || activity.agentId === agentId);
    return isTheirs ? activityLine(activity) : null;
  });
}

/** Whether the work of an agent in a session stands still until the person answers, also for a delegate of that agent. */
export function useWaitsForYou(sessionId: string, agentId: string): boolean {
  return useLive(({ actions }) => [...actions.values()].some((action) => isWaitedFor(action, sessionId, agentId)));
}

function isWaitedFor({ kind, chain }: Action, sessionId: string, agentId: string): boolean {
  return kind !== 'failure' && chain.some((link) => link.sessionId === sessionId && link.agentId === agentId);
}

/**
 * That an agent works, how many tools it has used, and what it does: `Working · 2 tools · Reading notes.txt`. Or that it
 * waits for the person.
 */
export function useWorkLine(sessionId: string, agentId: string): string {
  const text = useText();
  const tools = useLive(({ activities }) => {
    const activity = activities.get(sessionId);
    return activity?.agentId === agentId ? activity.tools : 0;
  });
  const doing = useActivityLine(sessionId, agentId);
  const isWaiting = useWaitsForYou(sessionId, agentId);
  if (isWaiting) return text('status.waiting');
  const state = tools === 0 ? text('status.working') : text('rail.workingTools', { count: tools });
  return doing ? `${state} · ${doing}` : state;
}

export function activityLine({ tool, words }: Activity): string | null {
  if (!tool) return plainSnippet(lastSentence(words) ?? '') || null;
  const [key, argument] = TOOLS[tool.name] ?? (['doing.use', null] as const);
  const what = argument === null ? tool.name : subjectOf(tool.input, argument);
  return what ? text(key, { what }) : text('doing.use', { what: tool.name });
}

const TOOLS: Readonly<Record<string, readonly [key: TextKey, argument: string]>> = {
  bash: ['doing.run', 'command'],
  files_read: ['doing.read', 'path'],
  files_list: ['doing.read', 'path'],
  files_write: ['doing.edit', 'path'],
  files_edit: ['doing.edit', 'path'],
  files_search: ['doing.search', 'text'],
  web_fetch: ['doing.read', 'url'],
  agents_message: ['doing.delegate', 'agentId'],
  sessions_search: ['doing.search', 'query'],
};

/** One line of an argument; of a path, its last name. */
function subjectOf(input: string, argument: string): string {
  try {
    const value: unknown = (JSON.parse(input) as Record<string, unknown>)[argument];
    if (typeof value !== 'string') return '';
    const line = value.trim().split('\n', 1)[0]!.slice(0, 80);
    return argument === 'path' ? (line.split('/').findLast((name) => name !== '') ?? line) : line;
  } catch {
    return '';
  }
}

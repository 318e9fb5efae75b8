import { useParams } from '@tanstack/react-router';
import type { Session } from '../../../contract/sessions.ts';
import type { PageTextKey } from '../../i18n/en.ts';
import { useText } from '../../i18n/page-words.ts';
import { useSession } from '../../live/use-live.ts';
import { ask } from '../../state/open-dialogs.ts';
import type { SessionDeps } from '../../state/session-deps.ts';
import { archive, compact, exportAs, fork, remove, restore, setPinned } from '../../state/session-verbs.ts';
import { saveAsTeam } from '../../state/teams.ts';
import { saveAsTemplate } from '../../state/templates.ts';
import { notify } from '../../ui/toast.tsx';

/** What can be done with the session that is open. */
export type SessionVerb =
  | 'rename'
  | 'pin'
  | 'unpin'
  | 'move'
  | 'workspace'
  | 'fork'
  | 'exportMarkdown'
  | 'exportJson'
  | 'saveTemplate'
  | 'saveTeam'
  | 'compact'
  | 'clear'
  | 'archive'
  | 'restore'
  | 'delete';

/** The words for each, and English ones that always find it. */
const VERBS: Readonly<Record<SessionVerb, readonly [label: PageTextKey, ...keywords: string[]]>> = {
  rename: ['palette.rename', 'rename'],
  pin: ['palette.pin', 'pin'],
  unpin: ['palette.unpin', 'unpin'],
  move: ['palette.move', 'folder'],
  workspace: ['palette.workspace', 'workspace', 'folder', 'directory', 'worktree'],
  fork: ['palette.fork', 'fork', 'copy', 'branch', 'duplicate'],
  exportMarkdown: ['palette.exportMarkdown', 'export', 'markdown', 'download'],
  exportJson: ['palette.exportJson', 'export', 'json', 'download'],
  saveTemplate: ['palette.saveTemplate', 'template'],
  saveTeam: ['palette.saveTeam', 'team', 'cast', 'agents'],
  compact: ['palette.compact', 'compact', 'summarise', 'summarize'],
  clear: ['palette.clear', 'clear'],
  archive: ['palette.archive', 'archive'],
  restore: ['palette.restore', 'restore'],
  delete: ['palette.delete', 'delete'],
};

export function useSessionVerbs() {
  const text = useText();
  const { sessionId } = useParams({ strict: false });
  const session = useSession(sessionId ?? '');
  if (!session) return [];
  return verbsFor(session).map((verb) => {
    const [label, ...keywords] = VERBS[verb];
    return { kind: 'verb' as const, id: `verb ${verb}`, label: text(label), detail: '', keywords, verb };
  });
}

function verbsFor({ pinnedAt, archivedAt, messageCount }: Session): SessionVerb[] {
  const ofContents: SessionVerb[] =
    messageCount > 0 ? ['exportMarkdown', 'exportJson', 'saveTemplate', 'saveTeam', 'compact', 'clear'] : [];
  return [
    'rename',
    pinnedAt === null ? 'pin' : 'unpin',
    'move',
    'workspace',
    'fork',
    ...ofContents,
    archivedAt === null ? 'archive' : 'restore',
    'delete',
  ];
}

/** Everything but renaming, for which a name has to be asked first. */
export function runVerb(verb: Exclude<SessionVerb, 'rename'>, deps: SessionDeps, sessionId: string): void {
  const runs: Record<typeof verb, () => unknown> = {
    pin: () => setPinned(deps, [sessionId], true),
    unpin: () => setPinned(deps, [sessionId], false),
    move: () => ask({ kind: 'move', ids: [sessionId] }),
    workspace: () => ask({ kind: 'workspace', id: sessionId }),
    fork: () => fork(deps, sessionId),
    exportMarkdown: () => exportAs(deps, sessionId, 'markdown'),
    exportJson: () => exportAs(deps, sessionId, 'json'),
    saveTemplate: () => saveAsTemplate(sessionId),
    saveTeam: () => saveAsTeam(sessionId),
    compact: () => compact(deps, sessionId),
    clear: () => ask({ kind: 'clear', id: sessionId }),
    archive: () => archive(deps, [sessionId]),
    restore: () => restore(deps, [sessionId]),
    delete: () => remove(deps, [sessionId]),
  };
  Promise.resolve(runs[verb]()).catch((error: Error) => notify({ title: error.message }));
}

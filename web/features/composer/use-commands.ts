import { useNavigate } from '@tanstack/react-router';
import type { Agent } from '../../../contract/agents.ts';
import type { Session } from '../../../contract/sessions.ts';
import { text } from '../../i18n/text.ts';
import type { Live } from '../../live/live.ts';
import { useAgents } from '../../live/use-agents.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { deletionsOf, finishDeletions } from '../../state/message-deletions.ts';
import { shareSession } from '../../state/open-dialogs.ts';
import { downloadSession } from '../../state/session-verbs.ts';
import { notify } from '../../ui/toast.tsx';
import type { CommandName } from './commands.ts';

export type CommandDialog = 'help' | 'clear';

interface Context {
  readonly live: Live;
  readonly sessionId: string;
  readonly agents: readonly Agent[];
  go(session: Session): Promise<void>;
  show(dialog: CommandDialog): void;
}

type Command = (context: Context, argument: string) => Promise<unknown>;

const DEEDS: Readonly<Record<CommandName, Command>> = {
  new: begin,
  agent: switchAgent,
  stop: ({ live, sessionId }) => live.client.call('cancelSession', { sessionId }),
  retry: retry,
  rename: async ({ live, sessionId }, name) =>
    live.note(await live.client.call('renameSession', { sessionId, body: { name } })),
  pin: async ({ live, sessionId }) => live.note(await live.client.call('pinSession', { sessionId })),
  unpin: async ({ live, sessionId }) => live.note(await live.client.call('unpinSession', { sessionId })),
  fork: fork,
  compact: ({ live, sessionId }) => compact(live, sessionId),
  export: exportSession,
  share: async ({ sessionId }) => shareSession(sessionId),
  archive: archive,
  clear,
  help: async ({ show }) => show('help'),
};

/** Carries a command out; what went wrong is said in passing. True when it was done. */
export function useCommands(sessionId: string, show: (dialog: CommandDialog) => void) {
  const live = useLiveConnection();
  const agents = useAgents();
  const navigate = useNavigate();
  const go = (session: Session) => {
    live.note(session);
    return navigate({ to: '/sessions/$sessionId', params: { sessionId: session.id } });
  };
  return async (name: CommandName, argument: string): Promise<boolean> => {
    try {
      await DEEDS[name]({ live, sessionId, agents, go, show }, argument);
      return true;
    } catch (error) {
      notify({ title: (error as Error).message });
      return false;
    }
  };
}

/** Also what the ring's button does. */
export async function compact(live: Live, sessionId: string): Promise<void> {
  await finishDeletions(live, sessionId);
  const { archivedCount } = await live.client.call('compactSession', { sessionId });
  notify({ title: text('composer.compacted', { count: archivedCount }) });
}

async function fork({ live, sessionId, go }: Context): Promise<void> {
  await finishDeletions(live, sessionId);
  await go(await live.client.call('forkSession', { sessionId }));
}

async function begin({ live, sessionId, agents, go }: Context, name: string): Promise<void> {
  const agentId = name === '' ? live.store.getState().sessions.get(sessionId)?.agentId : agentNamed(agents, name);
  await go(await live.client.call('createSession', { body: agentId ? { agentId } : {} }));
}

async function switchAgent({ live, sessionId, agents }: Context, name: string): Promise<void> {
  live.note(await live.client.call('patchSession', { sessionId, body: { agentId: agentNamed(agents, name) } }));
}

/** By id, or by a name that only one has. */
function agentNamed(agents: readonly Agent[], name: string): string {
  const wanted = name.replace(/^@/, '').toLowerCase();
  const byId = agents.find(({ agentId }) => agentId.toLowerCase() === wanted);
  const byName = agents.filter(({ displayName }) => displayName.toLowerCase() === wanted);
  const found = byId ?? (byName.length === 1 ? byName[0] : undefined);
  if (!found) throw new Error(text('composer.noAgent', { name }));
  return found.agentId;
}

async function retry({ live, sessionId }: Context): Promise<void> {
  await finishDeletions(live, sessionId);
  const deleted = deletionsOf(live).hidden.getState();
  const turns = [...(live.store.getState().states.get(sessionId)?.turns.values() ?? [])];
  const asked = turns.filter(
    ({ parentTurnId, endedAt, messageId }) => parentTurnId === null && endedAt !== null && !deleted.has(messageId),
  );
  const last = asked.at(-1);
  if (!last) throw new Error(text('composer.nothingToRetry'));
  await live.client.call('retryTurn', { turnId: last.id });
}

async function exportSession({ live, sessionId }: Context, format: string): Promise<void> {
  if (!['', 'md', 'markdown', 'json'].includes(format)) throw new Error(text('composer.exportFormats'));
  const title = live.store.getState().sessions.get(sessionId)?.title ?? sessionId;
  await finishDeletions(live, sessionId);
  await downloadSession(live.client, { id: sessionId, title }, format === 'json' ? 'json' : 'markdown');
}

async function clear({ live, sessionId, show }: Context): Promise<void> {
  const count = live.store.getState().sessions.get(sessionId)?.messageCount ?? 0;
  if (count === 0) throw new Error(text('composer.nothingToClear'));
  show('clear');
}

async function archive({ live, sessionId }: Context): Promise<void> {
  live.note(await live.client.call('archiveSession', { sessionId }));
  const bringBack = () =>
    void live.client.call('unarchiveSession', { sessionId }).then((session) => live.note(session));
  notify({ title: text('composer.archived'), undo: { label: text('action.undo'), run: bringBack } });
}

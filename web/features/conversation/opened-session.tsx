import { Link } from '@tanstack/react-router';
import { createContext, useContext, useEffect } from 'react';
import type { SessionState } from '../../../client/session-state.ts';
import type { Delegation } from '../../../contract/delegation.ts';
import { sessionTitle, useText } from '../../i18n/text.ts';
import { useLive, useLiveConnection, useSession } from '../../live/use-live.ts';
import { StatusDot } from '../../ui/status-dot.tsx';

/** The conversation that is being drawn. */
export const ConversationId = createContext('');

type Delegations = SessionState['delegations'];

/** The way to the session in which what a tool call began is done. */
export function OpenedSession({ callId }: { callId: string }) {
  const here = useContext(ConversationId);
  const opened = useLive(({ states }) => delegationOf(states.get(here)?.delegations, callId)?.sessionId);
  return opened === undefined || opened === here ? null : <Way sessionId={opened} />;
}

function Way({ sessionId }: { sessionId: string }) {
  const text = useText();
  const session = useKnownSession(sessionId);
  if (!session) return null;
  return (
    <Link
      to="/sessions/$sessionId"
      params={{ sessionId }}
      className="flex min-h-8 items-center gap-2 border-t border-line px-2.5 text-link hover:underline"
    >
      <StatusDot status={session.status} />
      <span className="min-w-0 flex-1 truncate">
        {text('conversation.goesOn', { title: sessionTitle(session.title) })}
      </span>
    </Link>
  );
}

/** A session that may not be in any list yet. */
export function useKnownSession(sessionId: string | null) {
  const live = useLiveConnection();
  const session = useSession(sessionId ?? '');
  const isMissing = sessionId !== null && session === undefined;
  useEffect(() => {
    if (isMissing) live.meet(sessionId);
  }, [live, sessionId, isMissing]);
  return session;
}

const byCall = new WeakMap<Delegations, ReadonlyMap<string, Delegation>>();

/** The work that a tool call gave to another agent. */
export function delegationOf(delegations: Delegations | undefined, callId: string): Delegation | undefined {
  if (!delegations || delegations.size === 0) return undefined;
  const known = byCall.get(delegations) ?? indexOf(delegations);
  byCall.set(delegations, known);
  return known.get(callId);
}

function indexOf(delegations: Delegations): ReadonlyMap<string, Delegation> {
  const made = [...delegations.values()].filter(({ callId }) => callId !== undefined);
  return new Map(made.map((delegation) => [delegation.callId!, delegation]));
}

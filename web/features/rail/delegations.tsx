import { Link } from '@tanstack/react-router';
import { Square } from 'lucide-react';
import type { Delegation } from '../../../contract/delegation.ts';
import type { SessionStatus } from '../../../contract/sessions.ts';
import { useText } from '../../i18n/text.ts';
import { useAgentName } from '../../live/use-agents.ts';
import { useLive, useLiveConnection } from '../../live/use-live.ts';
import { useWaitsForYou } from '../../state/use-activity.ts';
import { IconButton } from '../../ui/button.tsx';
import { StatusDot } from '../../ui/status-dot.tsx';
import { notify } from '../../ui/toast.tsx';
import { Section } from './section.tsx';

const STATUS: Record<Delegation['state'], SessionStatus> = {
  started: 'working',
  complete: 'completed',
  failed: 'error',
  cancelled: 'paused',
  interrupted: 'paused',
  refused: 'error',
};

/** Work that was given to others from here: how far it is, where it is done, and a way to stop one of them. */
export function Delegations({ sessionId }: { sessionId: string }) {
  const text = useText();
  const delegations = useLive(({ states }) => states.get(sessionId)?.delegations);
  const all = [...(delegations?.values() ?? [])].reverse().slice(0, 12);
  if (all.length === 0) return null;
  return (
    <Section title={text('rail.delegations')} count={all.length}>
      <ul>
        {all.map((delegation) => (
          <Line key={delegation.turnId ?? delegation.task} delegation={delegation} />
        ))}
      </ul>
    </Section>
  );
}

function Line({ delegation }: { delegation: Delegation }) {
  const text = useText();
  const { client } = useLiveConnection();
  const { to, task, state, sessionId, parentSessionId, turnId } = delegation;
  const name = useAgentName(to);
  const isWaiting = useWaitsForYou(sessionId, to) && state === 'started';
  const stop = () =>
    turnId && void client.call('cancelTurn', { turnId }).catch((error: Error) => notify({ title: error.message }));
  return (
    <li className="flex items-center gap-2 rounded-md px-2 py-1">
      <StatusDot status={isWaiting ? 'waiting' : STATUS[state]} />
      <div className="min-w-0 flex-1">
        <p dir="auto" className="truncate font-medium">
          {name}
        </p>
        <p dir="auto" className="truncate text-xs text-fg-3">
          {isWaiting ? `${text('status.waiting')} · ${task}` : task}
        </p>
      </div>
      {state === 'started' && (
        <IconButton label={text('rail.stopDelegate', { name })} onClick={stop}>
          <Square size={12} fill="currentColor" />
        </IconButton>
      )}
      {sessionId !== parentSessionId && (
        <Link to="/sessions/$sessionId" params={{ sessionId }} className="touch-link text-xs text-link underline">
          {text('conversation.openSession')}
        </Link>
      )}
    </li>
  );
}

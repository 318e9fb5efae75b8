import { Link } from '@tanstack/react-router';
import { Square } from 'lucide-react';
import type { ReactNode } from 'react';
import type { SessionState } from '../../../client/session-state.ts';
import type { Agent } from '../../../contract/agents.ts';
import type { Delegation } from '../../../contract/delegation.ts';
import type { SessionStatus } from '../../../contract/sessions.ts';
import { builtInText, useText } from '../../i18n/text.ts';
import { useAgentName } from '../../live/use-agents.ts';
import { useLive, useLiveConnection } from '../../live/use-live.ts';
import { useWaitsForYou, useWorkLine } from '../../state/use-activity.ts';
import { AgentTile } from '../../ui/agent-tile.tsx';
import { IconButton } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { StatusDot } from '../../ui/status-dot.tsx';
import { notify } from '../../ui/toast.tsx';

/** The agents below this one, and which of them is at work here. */
export function SubAgents({ sessionId, agents }: { sessionId: string; agents: readonly Agent[] }) {
  const text = useText();
  const busy = useBusyAgents(sessionId);
  return (
    <Section title={text('rail.subAgents')} count={agents.length}>
      <ul>
        {agents.map((agent) => (
          <SubAgent key={agent.agentId} agent={agent} worksIn={busy.get(agent.agentId)} />
        ))}
      </ul>
    </Section>
  );
}

/** An agent at work pulses in amber and says how far it is, or that it waits for the person. */
function SubAgent({ agent, worksIn }: { agent: Agent; worksIn: string | undefined }) {
  const { agentId, displayName, description, available } = agent;
  const isWaiting = useWaitsForYou(worksIn ?? '', agentId);
  return (
    <li className={cx('flex items-center gap-2 rounded-md px-2 py-1.5', worksIn && 'bg-delegate-bg')}>
      <AgentTile agentId={agentId} agent={agent} />
      <div className="min-w-0 flex-1">
        <p dir="auto" className="truncate font-medium">
          {displayName}
        </p>
        <p className={cx('truncate text-xs', worksIn ? 'text-delegate' : 'text-fg-3')}>
          {worksIn ? <Work sessionId={worksIn} agentId={agentId} /> : builtInText(description)}
        </p>
      </div>
      {worksIn ? (
        <span className="[--st-working:var(--delegate)]">
          <StatusDot status={isWaiting ? 'waiting' : 'working'} />
        </span>
      ) : (
        <StatusDot status={available ? 'idle' : 'error'} />
      )}
    </li>
  );
}

function Work({ sessionId, agentId }: { sessionId: string; agentId: string }) {
  const line = useWorkLine(sessionId, agentId);
  return <span title={line}>{line}</span>;
}

/** The session in which each agent works for this one. */
function useBusyAgents(sessionId: string): ReadonlyMap<string, string> {
  // As one string, which is the same as long as they are.
  const busy = useLive(({ states }) => busyAgents(states.get(sessionId)).join('\n'));
  return new Map(busy.split('\n').flatMap((line) => (line === '' ? [] : [line.split(' ') as [string, string]])));
}

function busyAgents(state: SessionState | undefined): string[] {
  const speaking = state?.open.map(({ agentId }) => `${agentId} ${state.sessionId}`) ?? [];
  const delegated = [...(state?.delegations.values() ?? [])].filter((one) => one.state === 'started');
  return [...speaking, ...delegated.map((one) => `${one.to} ${one.sessionId}`)];
}

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

export function Section({ title, count, children }: { title: string; count?: number; children: ReactNode }) {
  return (
    <section className="mb-4">
      <h2 className="mx-2 mb-1 flex items-center gap-1.5 text-2xs font-medium text-fg-3">
        {title}
        {count !== undefined && <span className="rounded-full bg-raised px-1.5 text-fg-2">{count}</span>}
      </h2>
      {children}
    </section>
  );
}

/** A name and what it is. */
export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex items-baseline gap-2 px-2 py-0.5 text-xs">
      <dt className="flex-none text-fg-3">{name}</dt>
      <dd className="min-w-0 flex-1 truncate text-right text-fg-2">{children}</dd>
    </div>
  );
}

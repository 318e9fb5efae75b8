import type { SessionState } from '../../../client/session-state.ts';
import type { Agent } from '../../../contract/agents.ts';
import { builtInText, useText } from '../../i18n/text.ts';
import { useLive } from '../../live/use-live.ts';
import { useWaitsForYou, useWorkLine } from '../../state/use-activity.ts';
import { AgentTile } from '../../ui/agent-tile.tsx';
import { cx } from '../../ui/cx.ts';
import { StatusDot } from '../../ui/status-dot.tsx';
import { Section } from './section.tsx';

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

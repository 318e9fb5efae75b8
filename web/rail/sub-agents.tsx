import type { SessionState } from '../../client/session-state.ts';
import type { Agent } from '../../contract/agents.ts';
import type { SessionStatus } from '../../contract/sessions.ts';
import { useText } from '../i18n/text.ts';
import { useLive } from '../live/use-live.ts';
import { AgentTile } from '../ui/agent-tile.tsx';
import { StatusDot } from '../ui/status-dot.tsx';
import { Section } from './section.tsx';

/** The agents below this one, and which of them is at work here. */
export function SubAgents({ sessionId, agents }: { sessionId: string; agents: readonly Agent[] }) {
  const text = useText();
  const busy = useBusyAgents(sessionId);
  return (
    <Section title={text('rail.subAgents')} count={agents.length}>
      <ul>
        {agents.map((agent) => (
          <li key={agent.agentId} className="flex items-center gap-2 rounded-md px-2 py-1.5">
            <AgentTile agentId={agent.agentId} agent={agent} />
            <div className="min-w-0 flex-1">
              <p className="truncate font-medium">{agent.displayName}</p>
              <p className="truncate text-xs text-fg-3">{agent.description}</p>
            </div>
            <StatusDot status={statusOf(agent, busy)} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function statusOf({ agentId, available }: Agent, busy: ReadonlySet<string>): SessionStatus {
  if (!available) return 'error';
  return busy.has(agentId) ? 'working' : 'idle';
}

function useBusyAgents(sessionId: string): ReadonlySet<string> {
  // As one word, which is the same as long as they are.
  const busy = useLive(({ states }) => busyAgents(states.get(sessionId)).join(' '));
  return new Set(busy.split(' '));
}

function busyAgents(state: SessionState | undefined): string[] {
  const speaking = state?.open.map(({ agentId }) => agentId) ?? [];
  const working = [...(state?.delegations.values() ?? [])].filter((one) => one.state === 'started').map(({ to }) => to);
  return [...speaking, ...working];
}

import { memo } from 'react';
import { useText } from '../../i18n/text.ts';
import { useAgent, useAgents } from '../../live/use-agents.ts';
import { useSession } from '../../live/use-live.ts';
import { toggle, WIDE } from '../../state/panes.ts';
import { Sheet } from '../../ui/sheet.tsx';
import { useIsNarrow } from '../../ui/use-is-narrow.ts';
import { AgentFacts } from './agent-facts.tsx';
import { Delegations } from './delegations.tsx';
import { SessionFacts } from './session-facts.tsx';
import { SubAgents } from './sub-agents.tsx';
import { ToolNames } from './tool-names.tsx';
import { UsageFacts } from './usage-facts.tsx';

/**
 * Beside a conversation, or over it where there is no room: its sub-agents and delegations, its agent, what that may use and
 * what it cost. Drawn when one of these changes, not with every token.
 */
export const Rail = memo(function Rail({ sessionId }: { sessionId: string }) {
  const text = useText();
  const isNarrow = useIsNarrow(WIDE.right);
  if (isNarrow) {
    return (
      <Sheet title={text('nav.details')} side="right" render={<aside />} onClose={() => toggle('right')}>
        <div className="min-h-0 flex-1 overflow-y-auto p-2">
          <Details sessionId={sessionId} />
        </div>
      </Sheet>
    );
  }
  return (
    <aside
      aria-label={text('nav.details')}
      className="w-(--side) flex-none overflow-y-auto border-l border-line bg-surface p-2 pt-4"
    >
      <Details sessionId={sessionId} />
    </aside>
  );
});

function Details({ sessionId }: { sessionId: string }) {
  const session = useSession(sessionId);
  const agent = useAgent(session?.agentId ?? null);
  const children = useAgents().filter((other) => other.parentAgentId === agent?.agentId);
  return (
    <>
      {children.length > 0 && <SubAgents sessionId={sessionId} agents={children} />}
      <Delegations sessionId={sessionId} />
      {agent && <AgentFacts agent={agent} />}
      {agent && <ToolNames agentId={agent.agentId} />}
      <UsageFacts sessionId={sessionId} />
      {session && <SessionFacts session={session} />}
    </>
  );
}

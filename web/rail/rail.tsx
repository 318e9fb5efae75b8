import { memo } from 'react';
import { closeOverlays } from '../app/panes.ts';
import { useText } from '../i18n/text.ts';
import { useAgent, useAgents } from '../live/use-agents.ts';
import { useSession } from '../live/use-live.ts';
import { AgentFacts } from './agent-facts.tsx';
import { Delegations } from './delegations.tsx';
import { SessionFacts } from './session-facts.tsx';
import { SubAgents } from './sub-agents.tsx';
import { ToolNames } from './tool-names.tsx';
import { UsageFacts } from './usage-facts.tsx';

/**
 * Beside a conversation: who works for whom here, who the agent is, what it may use and what it cost. Drawn when one of
 * these changes, not with every token.
 */
export const Rail = memo(function Rail({ sessionId }: { sessionId: string }) {
  const text = useText();
  const session = useSession(sessionId);
  const agent = useAgent(session?.agentId ?? null);
  const children = useAgents().filter((other) => other.parentAgentId === agent?.agentId);
  return (
    <>
      <button
        type="button"
        aria-label={text('action.close')}
        onClick={closeOverlays}
        className="fixed inset-0 z-20 bg-black/40 min-[1100px]:hidden"
      />
      <aside
        aria-label={text('nav.details')}
        className="fixed inset-y-0 right-0 z-30 w-(--side) flex-none overflow-y-auto border-l border-line bg-surface p-2 pt-(--header) min-[1100px]:static min-[1100px]:pt-2"
      >
        {children.length > 0 && <SubAgents sessionId={sessionId} agents={children} />}
        <Delegations sessionId={sessionId} />
        {agent && <AgentFacts agent={agent} />}
        {agent && <ToolNames agentId={agent.agentId} />}
        <UsageFacts sessionId={sessionId} />
        {session && <SessionFacts session={session} />}
      </aside>
    </>
  );
});

import { useText } from '../i18n/text.ts';
import { useAgent } from '../live/use-agents.ts';
import { useSession } from '../live/use-live.ts';
import { AgentTile } from '../ui/agent-tile.tsx';

/** An empty session: who is here and what they say to that. */
export function Welcome({ sessionId }: { sessionId: string }) {
  const text = useText();
  const session = useSession(sessionId);
  const agent = useAgent(session?.agentId ?? null);
  return (
    <div className="m-auto max-w-md p-6 text-center">
      {agent && <AgentTile agentId={agent.agentId} agent={agent} size={40} />}
      <h2 className="mt-3 text-lg font-semibold">{agent?.displayName ?? text('conversation.nobodyYet')}</h2>
      <p className="mt-1 text-fg-2">{agent?.welcomeMessage ?? agent?.description ?? text('conversation.nobodyHint')}</p>
      {agent?.unavailableReason && <p className="mt-3 text-danger">{agent.unavailableReason}</p>}
    </div>
  );
}

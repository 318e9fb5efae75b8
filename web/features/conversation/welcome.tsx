import type { Agent } from '../../../contract/agents.ts';
import { builtInText, unavailableReason, useText } from '../../i18n/text.ts';
import { useAgent, useAgents } from '../../live/use-agents.ts';
import { useSession } from '../../live/use-live.ts';
import { addToDraft } from '../../state/drafts.ts';
import { shownBox } from '../../state/shown-box.ts';
import { AgentTile } from '../../ui/agent-tile.tsx';
import { Button } from '../../ui/button.tsx';

/** An empty session: the agent, its greeting and a few ways to begin. */
export function Welcome({ sessionId }: { sessionId: string }) {
  const text = useText();
  const session = useSession(sessionId);
  const agent = useAgent(session?.agentId ?? null);
  return (
    <div className="m-auto max-w-md p-6 text-center">
      {agent && <AgentTile agentId={agent.agentId} agent={agent} size={40} />}
      <h2 className="mt-3 text-lg font-semibold">{agent?.displayName ?? text('conversation.nobodyYet')}</h2>
      <p className="mt-1 text-fg-2">
        {agent ? builtInText(agent.welcomeMessage ?? agent.description) : text('conversation.nobodyHint')}
      </p>
      {agent?.unavailableReason && <p className="mt-3 text-danger">{unavailableReason(agent)}</p>}
      {agent?.available && <Starters sessionId={sessionId} agent={agent} />}
    </div>
  );
}

/** The agent's own, else general ones. Each puts words into the message box, where they can be changed before they are sent. */
function Starters({ sessionId, agent }: { sessionId: string; agent: Agent }) {
  const text = useText();
  const others = useAgents().filter(({ parentAgentId, available }) => parentAgentId === agent.agentId && available);
  const general = [
    text('welcome.abilities'),
    ...others.slice(0, 2).map(({ displayName }) => text('welcome.delegate', { name: displayName })),
  ];
  const starters = agent.starters.length > 0 ? new Set(agent.starters) : general;
  const begin = (words: string) => {
    addToDraft(sessionId, words);
    shownBox()?.focus();
  };
  return (
    <div className="mt-4 flex flex-wrap justify-center gap-2">
      {[...starters].map((words) => (
        <Button
          key={words}
          className="h-auto min-h-7 rounded-2xl py-1 text-left whitespace-normal touch:min-h-11"
          onClick={() => begin(words)}
        >
          {words}
        </Button>
      ))}
    </div>
  );
}

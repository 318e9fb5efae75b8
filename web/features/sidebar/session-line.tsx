import type { Agent } from '../../../contract/agents.ts';
import type { Session, SessionStatus } from '../../../contract/sessions.ts';
import { useText } from '../../i18n/text.ts';
import { useAgent, useAgentName } from '../../live/use-agents.ts';
import { useLive } from '../../live/use-live.ts';
import { plainSnippet } from '../../markdown/plain-snippet.tsx';
import { actionsBySession } from '../../state/needs.ts';
import { useActivityLine } from '../../state/use-activity.ts';
import { AgentTile } from '../../ui/agent-tile.tsx';
import { useShownStatus } from '../../ui/status-dot.tsx';
import { wantOf } from './wants.ts';

/** Who, and what is going on; `isUrgent` when the person is wanted. */
export interface Line {
  agentId: string | null;
  agent: Agent | undefined;
  name: string;
  words: string;
  isUrgent: boolean;
}

export function useLine(session: Session): Line {
  const text = useText();
  const action = useLive(({ actions }) => actionsBySession(actions).get(session.id)?.action);
  const busy = useLive(({ activities }) => activities.get(session.id)?.agentId ?? null);
  const doing = useActivityLine(session.id, null);
  const want = wantOf(session, action);
  const status = useShownStatus(session.status);
  const state = want ? text(want.key, want.values) : working(status, doing, text);
  const said = state === null ? session.lastSpeaker : null;
  const isPerson = said?.kind === 'person';
  const webhook = said?.kind === 'webhook' ? (said.webhook ?? '') : null;
  const speaker = (state === null && session.lastSpeaker?.agent) || session.agentId;
  const agentId = isPerson || webhook !== null ? null : (want?.agentId ?? busy ?? speaker);
  const agent = useAgent(agentId);
  const agentName = useAgentName(agentId);
  const words = state ?? plainSnippet(session.lastSnippet);
  return {
    agentId,
    agent,
    name: isPerson
      ? text('conversation.you')
      : webhook === null
        ? agentName
        : text('conversation.webhook', { name: webhook }),
    words: words || text('sidebar.nothingYet'),
    isUrgent: want !== null,
  };
}

/** What is wanted needs the room; otherwise who is there comes first. */
export function SessionLine({ line: { agentId, agent, name, words, isUrgent } }: { line: Line }) {
  return (
    <>
      {agentId !== null && <AgentTile agentId={agentId} agent={agent} size={14} />}
      {name !== '' && (
        <span dir="auto" className={isUrgent ? 'sr-only' : 'max-w-[45%] flex-none truncate text-fg-2'}>
          {name}
          <span className="sr-only">:</span>
        </span>
      )}
      <span dir="auto" className={isUrgent ? 'min-w-0 flex-1 truncate text-fg-2' : 'min-w-0 flex-1 truncate'}>
        {words}
      </span>
    </>
  );
}

/** What is being done there, as far as it is known. */
function working(status: SessionStatus, doing: string | null, text: ReturnType<typeof useText>): string | null {
  if (status !== 'working' && status !== 'connecting') return null;
  return (status === 'working' ? doing : null) ?? text(`status.${status}`);
}

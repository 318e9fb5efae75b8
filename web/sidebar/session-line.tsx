import type { LiveTurn } from '../../client/live-turn.ts';
import type { Agent } from '../../contract/agents.ts';
import type { Session } from '../../contract/sessions.ts';
import { useText } from '../i18n/text.ts';
import type { LiveState } from '../live/live-state.ts';
import { useAgent } from '../live/use-agents.ts';
import { useLive } from '../live/use-live.ts';
import { AgentTile } from '../ui/agent-tile.tsx';
import { actionsBySession } from './needs.ts';
import { plainSnippet } from './plain-snippet.ts';
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
  const action = useLive(({ actions }) => actionsBySession(actions).get(session.id));
  const busy = useLive((state) => busyWith(state, session.id));
  const want = wantOf(session, action);
  const agentId = want?.agentId ?? busy?.split('\n')[0] ?? session.agentId;
  const agent = useAgent(agentId);
  const words = want
    ? text(want.key, want.values)
    : (working(session, busy, text) ?? plainSnippet(session.lastSnippet));
  return {
    agentId,
    agent,
    name: agent?.displayName ?? agentId ?? '',
    words: words || text('sidebar.nothingYet'),
    isUrgent: want !== null,
  };
}

/** What is wanted needs the room; otherwise who is there comes first. */
export function SessionLine({ line: { agentId, agent, name, words, isUrgent } }: { line: Line }) {
  return (
    <>
      {agentId !== null && <AgentTile agentId={agentId} agent={agent} size={14} />}
      {agentId !== null && (
        <span className={isUrgent ? 'sr-only' : 'max-w-[45%] flex-none truncate text-fg-2'}>
          {name}
          <span className="sr-only">:</span>
        </span>
      )}
      <span className={isUrgent ? 'min-w-0 flex-1 truncate text-fg-2' : 'min-w-0 flex-1 truncate'}>{words}</span>
    </>
  );
}

function working({ status }: Session, busy: string | null, text: ReturnType<typeof useText>): string | null {
  const tool = busy?.split('\n')[1];
  if (tool) return text('sidebar.using', { tool });
  return status === 'working' || status === 'connecting' ? text(`status.${status}`) : null;
}

/** Who speaks and what they use, as one string: it changes with the tool, not with every word. */
function busyWith({ states }: LiveState, sessionId: string): string | null {
  const live = states.get(sessionId)?.live;
  return live ? `${live.agentId}\n${toolOf(live)}` : null;
}

function toolOf({ parts }: LiveTurn): string {
  const last = parts.at(-1);
  return last?.kind === 'call' && last.call.endedAt === null ? last.call.name : '';
}

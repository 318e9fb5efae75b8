import { SquareTerminal } from 'lucide-react';
import type { ReactNode } from 'react';
import type { SessionState } from '../../../client/session-state.ts';
import type { Message } from '../../../contract/messages.ts';
import { useText } from '../../i18n/text.ts';
import { useAgent, useAgentName } from '../../live/use-agents.ts';
import { useLive } from '../../live/use-live.ts';
import { AgentTile, agentStyle } from '../../ui/agent-tile.tsx';
import { AgentFrame, SpeakerBadge } from './message-frame.tsx';
import type { LiveRow, MessageRow } from './rows.ts';

interface Props {
  agentId: string | null;
  at?: string | undefined;
  guest?: boolean;
  subAgentOf?: string | null;
  interrupted?: boolean;
  children: ReactNode;
  busy?: boolean;
  /** What stands after the name; by default the time. */
  facts?: ReactNode;
}

/** An agent's words under the name and colour it has now. */
export function Speaker({ agentId, guest = false, interrupted = false, subAgentOf = null, ...frame }: Props) {
  const text = useText();
  const agent = useAgent(agentId);
  const name = useAgentName(agentId) || text('conversation.assistant');
  const parent = useAgentName(subAgentOf);
  const badges = (
    <>
      {agent?.fullAuthority && <FullAuthority />}
      {guest && <SpeakerBadge>{text('conversation.guest')}</SpeakerBadge>}
      {interrupted && <SpeakerBadge>{text('conversation.interrupted')}</SpeakerBadge>}
    </>
  );
  return (
    <AgentFrame
      {...frame}
      name={name}
      tile={<AgentTile agentId={agentId ?? '??'} agent={agent} />}
      style={agentStyle(agentId, agent)}
      subAgentOf={subAgentOf === null ? null : parent}
      badges={badges}
    />
  );
}

function FullAuthority() {
  const label = useText()('rail.fullAuthority');
  return (
    <span role="img" aria-label={label} title={label} className="flex-none">
      <SquareTerminal size={13} aria-hidden="true" />
    </span>
  );
}

/** Whether an answer is what a command printed. In a tool's session a person may still talk to the agent. */
export function useIsOutput(row: LiveRow | MessageRow, sessionId: string): boolean {
  return useLive(({ states }) => {
    const state = states.get(sessionId);
    return state?.session?.type === 'tool-execution' && isCommand(state, askedBy(row, state));
  });
}

/** Whether a message that an agent sent here is a command, or what one printed elsewhere. */
export function useIsSentOutput(message: Message): boolean {
  return useLive(({ states, sessions }) => {
    if (states.get(message.sessionId)?.session?.type === 'tool-execution') return true;
    const work = message.parts.find((part) => part.type === 'delegation');
    // Messages of earlier versions do not say it themselves.
    return work?.via === 'background' || sessions.get(work?.sessionId ?? '')?.type === 'tool-execution';
  });
}

function askedBy(row: LiveRow | MessageRow, { turns }: SessionState): string | null {
  return row.kind === 'live' ? (turns.get(row.turn.turnId)?.messageId ?? null) : row.message.parentId;
}

function isCommand({ messages }: SessionState, id: string | null): boolean {
  const message = id === null ? undefined : messages.get(id);
  return message?.role === 'user' && message.agent !== null;
}

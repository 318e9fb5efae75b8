import { SquareTerminal } from 'lucide-react';
import type { ReactNode } from 'react';
import { useText } from '../../i18n/text.ts';
import { useAgent, useAgentName } from '../../live/use-agents.ts';
import { AgentTile, agentStyle } from '../../ui/agent-tile.tsx';
import { AgentFrame, SpeakerBadge } from './message-frame.tsx';

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

import type { ReactNode } from 'react';
import { useText } from '../i18n/text.ts';
import { clockTime } from '../i18n/time.ts';
import { useAgent } from '../live/use-agents.ts';
import { AgentTile, agentStyle } from '../ui/agent-tile.tsx';
import { cx } from '../ui/cx.ts';

interface Props {
  agentId: string | null;
  at?: string | undefined;
  guest?: boolean;
  subAgentOf?: string | null;
  interrupted?: boolean;
  children: ReactNode;
  busy?: boolean;
}

/** An agent's words under its name and colour; those of a sub-agent in the amber frame of what it was given. */
export function Speaker({
  agentId,
  at,
  guest = false,
  subAgentOf = null,
  interrupted = false,
  busy = false,
  children,
}: Props) {
  const text = useText();
  const agent = useAgent(agentId);
  const parent = useAgent(subAgentOf);
  const name = agent?.displayName ?? agentId ?? text('conversation.assistant');
  return (
    <article
      aria-label={at ? `${name}, ${clockTime(at)}` : name}
      aria-busy={busy}
      style={agentStyle(agentId ?? '', agent?.color)}
      className={cx('agent group/message relative pb-1', subAgentOf !== null && 'sub-agent')}
    >
      <header className="mb-1 flex flex-wrap items-center gap-2 text-xs text-fg-3">
        <AgentTile agentId={agentId ?? '??'} agent={agent} />
        <b className="font-semibold text-agent">{name}</b>
        {guest && <Badge>{text('conversation.guest')}</Badge>}
        {agent?.fullAuthority && <Badge>{text('conversation.fullAuthority')}</Badge>}
        {interrupted && <Badge>{text('conversation.interrupted')}</Badge>}
        {subAgentOf !== null && (
          <span>{text('conversation.subAgentOf', { name: parent?.displayName ?? subAgentOf })}</span>
        )}
        {at && <time dateTime={at}>{clockTime(at)}</time>}
      </header>
      {children}
    </article>
  );
}

function Badge({ children }: { children: ReactNode }) {
  return <span className="rounded-sm border border-line px-1 text-2xs text-fg-2">{children}</span>;
}

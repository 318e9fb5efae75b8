import { SquareTerminal } from 'lucide-react';
import type { ReactNode } from 'react';
import { useText } from '../../i18n/text.ts';
import { clockTime } from '../../i18n/time.ts';
import { useAgent, useAgentName } from '../../live/use-agents.ts';
import { AgentTile, agentStyle } from '../../ui/agent-tile.tsx';
import { cx } from '../../ui/cx.ts';

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

/** An agent's words under its name and colour; those of a sub-agent in the amber frame of what it was given. */
export function Speaker({ agentId, at, subAgentOf = null, busy = false, children, ...head }: Props) {
  const text = useText();
  const agent = useAgent(agentId);
  const name = useAgentName(agentId) || text('conversation.assistant');
  return (
    <article
      aria-label={at ? `${name}, ${clockTime(at)}` : name}
      aria-busy={busy}
      style={agentStyle(agentId, agent)}
      className={cx('agent group/message relative mb-4.5', subAgentOf !== null && 'sub-agent')}
    >
      <Head agentId={agentId} name={name} at={at} subAgentOf={subAgentOf} {...head} />
      {children}
    </article>
  );
}

type HeadProps = Omit<Props, 'children' | 'busy'> & { name: string };

/** One line, however little room there is: names are cut, and what is less important is left out. */
function Head({ agentId, name, at, guest = false, subAgentOf, interrupted = false, facts }: HeadProps) {
  const text = useText();
  const agent = useAgent(agentId);
  const parent = useAgentName(subAgentOf ?? null);
  return (
    <header className="mb-1 flex min-w-0 items-center gap-2 text-xs whitespace-nowrap text-fg-3 touch:pr-10">
      <AgentTile agentId={agentId ?? '??'} agent={agent} />
      <b title={name} dir="auto" className="min-w-8 truncate font-semibold text-agent">
        {name}
      </b>
      {agent?.fullAuthority && <FullAuthority />}
      {guest && <Badge>{text('conversation.guest')}</Badge>}
      {interrupted && <Badge>{text('conversation.interrupted')}</Badge>}
      {subAgentOf && (
        <span className="max-w-max min-w-0 flex-1 basis-0 truncate">
          {text('conversation.subAgentOf', { name: parent })}
        </span>
      )}
      {facts ?? (at && <SpeakerFacts model={null} at={at} duration={null} details="" />)}
    </header>
  );
}

interface FactsProps {
  model: string | null;
  at: string;
  duration: string | null;
  /** Shown by hovering; the message's menu has it as well. */
  details: string;
}

export function SpeakerFacts({ model, at, duration, details }: FactsProps) {
  return (
    <span title={details || undefined} className="flex flex-none items-center gap-1">
      {model !== null && <span className="max-w-40 truncate max-[520px]:hidden">{model} ·</span>}
      <time dateTime={at}>{clockTime(at)}</time>
      {duration !== null && <span className="max-[520px]:hidden">· {duration}</span>}
    </span>
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

function Badge({ children }: { children: ReactNode }) {
  return <span className="flex-none rounded-sm border border-line px-1 text-2xs text-fg-2">{children}</span>;
}

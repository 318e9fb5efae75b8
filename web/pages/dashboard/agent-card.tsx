import { useNavigate } from '@tanstack/react-router';
import { Copy, Info, MessageSquarePlus, MoreHorizontal, Pencil } from 'lucide-react';
import { memo } from 'react';
import type { Agent } from '../../../contract/agents.ts';
import { builtInText, unavailableReason, useText } from '../../i18n/text.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { modelLine } from '../../state/model-line.ts';
import { newSession } from '../../state/new-session.ts';
import { AgentTile } from '../../ui/agent-tile.tsx';
import { IconButton } from '../../ui/button.tsx';
import { CommandWords } from '../../ui/command-words.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { Badge } from '../../ui/page.tsx';

/** One agent. A click begins a session with it, or says why it cannot answer. */
export const AgentCard = memo(function AgentCard({ agent }: { agent: Agent }) {
  const text = useText();
  const { agentId, displayName, description, available, fullAuthority, uiVisible } = agent;
  const { begin, details } = useAgentVerbs(agentId);
  return (
    <li className="group relative flex min-h-28 flex-col rounded-lg border border-line bg-surface p-3 hover:border-line-strong">
      <div className="flex items-center gap-2.5">
        <AgentTile agentId={agentId} agent={agent} size={28} />
        <h3 dir="auto" className="min-w-0 flex-1 truncate font-semibold">
          <button
            type="button"
            aria-label={text(available ? 'dashboard.begin' : 'dashboard.why', { name: displayName })}
            onClick={available ? begin : () => details()}
            title={displayName}
            className="block w-full truncate text-left after:absolute after:inset-0 after:rounded-lg focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:outline-accent"
          >
            {displayName}
          </button>
        </h3>
        <CardMenu agent={agent} />
      </div>
      <p className="mt-2 line-clamp-2 text-fg-2">{builtInText(description)}</p>
      {agent.unavailableReason && (
        <p className="mt-1.5 text-xs text-danger">
          <CommandWords words={unavailableReason(agent)} />
        </p>
      )}
      <p className="mt-auto flex flex-wrap items-center gap-1.5 pt-2 text-xs text-fg-3">
        <span className="min-w-0 truncate">{modelLine(agent)}</span>
        {fullAuthority && <Badge tone="danger">{text('conversation.fullAuthority')}</Badge>}
        {!uiVisible && <Badge>{text('dashboard.hidden')}</Badge>}
      </p>
    </li>
  );
});

function CardMenu({ agent: { agentId, displayName, available } }: { agent: Agent }) {
  const text = useText();
  const { begin, details, duplicate } = useAgentVerbs(agentId);
  return (
    <Menu
      trigger={
        <IconButton label={text('dashboard.menu', { name: displayName })} className="relative z-10 -m-1">
          <MoreHorizontal size={15} />
        </IconButton>
      }
    >
      <MenuItem icon={<MessageSquarePlus size={14} />} disabled={!available} onSelect={begin}>
        {text('agents.newSession')}
      </MenuItem>
      <MenuItem icon={<Info size={14} />} onSelect={() => details()}>
        {text('agents.details')}
      </MenuItem>
      <MenuItem icon={<Pencil size={14} />} onSelect={() => details('form')}>
        {text('agents.edit')}
      </MenuItem>
      <MenuItem icon={<Copy size={14} />} onSelect={duplicate}>
        {text('agents.duplicate')}
      </MenuItem>
    </Menu>
  );
}

function useAgentVerbs(agentId: string) {
  const navigate = useNavigate();
  const live = useLiveConnection();
  return {
    begin: () => void newSession(live, navigate, agentId),
    details: (hash = '') => void navigate({ to: '/agents/$', params: { _splat: agentId }, hash }),
    duplicate: () => void navigate({ to: '/agents/new', search: { from: agentId } }),
  };
}

import { Link } from '@tanstack/react-router';
import { ChevronDown, Plus } from 'lucide-react';
import { useText } from '../../i18n/text.ts';
import { useAgents } from '../../live/use-agents.ts';
import { newSession } from '../../state/new-session.ts';
import { closeOverlays } from '../../state/panes.ts';
import type { SessionDeps } from '../../state/session-deps.ts';
import { useSlots } from '../../state/slots.tsx';
import { useReadAhead } from '../../state/use-templates.ts';
import { AgentTile } from '../../ui/agent-tile.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';

/** With whoever one spoke with last, or with somebody in particular. */
export function NewSessionBar({ deps }: { deps: SessionDeps }) {
  const text = useText();
  const readAhead = useReadAhead();
  const { TemplateItems } = useSlots();
  return (
    <div className="flex flex-none px-2 pt-2">
      <Button className="h-8 flex-1 rounded-r-none" onClick={() => void newSession(deps.live, deps.navigate)}>
        <Plus size={14} />
        {text('sidebar.new')}
        <kbd className="rounded-sm border border-line px-1 font-mono text-2xs text-fg-3 pointer-coarse:hidden">C</kbd>
      </Button>
      <Menu
        trigger={
          <IconButton
            label={text('sidebar.newWith')}
            onPointerEnter={readAhead}
            onFocus={readAhead}
            className="h-8 w-8 rounded-l-none border border-l-0 border-line bg-surface"
          >
            <ChevronDown size={14} />
          </IconButton>
        }
      >
        <Agents deps={deps} />
        <TemplateItems live={deps.live} navigate={deps.navigate} />
      </Menu>
    </div>
  );
}

function Agents({ deps }: { deps: SessionDeps }) {
  const text = useText();
  const agents = useAgents().filter(({ uiVisible }) => uiVisible);
  if (agents.length === 0) {
    return (
      <Link to="/agents/new" onClick={closeOverlays} className="block rounded-md px-2 py-1.5 text-link hover:bg-hover">
        {text('sidebar.firstAgent')}
      </Link>
    );
  }
  return agents.map((agent) => (
    <MenuItem
      key={agent.agentId}
      icon={<AgentTile agentId={agent.agentId} agent={agent} size={16} />}
      disabled={!agent.available}
      onSelect={() => void newSession(deps.live, deps.navigate, agent.agentId)}
    >
      {agent.available ? agent.displayName : text('sidebar.unavailable', { name: agent.displayName })}
    </MenuItem>
  ));
}

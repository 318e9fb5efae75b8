import { Link, useNavigate } from '@tanstack/react-router';
import { Copy, FlaskConical, MessageSquarePlus, MoreHorizontal, Trash2 } from 'lucide-react';
import type { AgentDetail } from '../../../contract/agents.ts';
import { useText } from '../../i18n/agent-words.ts';
import { builtInText } from '../../i18n/text.ts';
import { useAgents } from '../../live/use-agents.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { newSession } from '../../state/new-session.ts';
import { deleteAgentSoon } from '../../state/undoable-deletions.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../ui/menu.tsx';
import { Badge } from '../../ui/page.tsx';
import { notify } from '../../ui/toast.tsx';

/** What it is called among programs, what is special about it, and what it is for. */
export function AgentSummary({ detail }: { detail: AgentDetail }) {
  const text = useText();
  const { agentId, description, available, fullAuthority, uiVisible } = detail;
  return (
    <div className="mb-4">
      <p className="flex flex-wrap items-center gap-2">
        <code className="font-mono text-xs text-fg-2">{agentId}</code>
        {fullAuthority && <Badge tone="danger">{text('conversation.fullAuthority')}</Badge>}
        {!available && <Badge tone="danger">{text('agents.unavailable')}</Badge>}
        {!uiVisible && <Badge>{text('dashboard.hidden')}</Badge>}
      </p>
      <p className="mt-0.5 max-w-[72ch] text-fg-2">{builtInText(description)}</p>
    </div>
  );
}

interface Props {
  detail: AgentDetail;
  isTesting: boolean;
  onTest(): void;
}

export function AgentActions({ detail, isTesting, onTest }: Props) {
  const text = useText();
  const live = useLiveConnection();
  const navigate = useNavigate();
  const { agentId, available } = detail;
  return (
    <div className="flex items-center gap-1.5">
      <Button look="primary" disabled={!available} onClick={() => void newSession(live, navigate, agentId)}>
        <MessageSquarePlus size={14} aria-hidden="true" />
        {text('agents.newSession')}
      </Button>
      <Button aria-expanded={isTesting} disabled={!available} onClick={onTest}>
        <FlaskConical size={14} aria-hidden="true" />
        {text('agents.test')}
      </Button>
      <More detail={detail} />
    </div>
  );
}

function More({ detail }: { detail: AgentDetail }) {
  const text = useText();
  const navigate = useNavigate();
  const remove = useDelete(detail);
  return (
    <Menu
      trigger={
        <IconButton label={text('dashboard.menu', { name: detail.displayName })}>
          <MoreHorizontal size={16} />
        </IconButton>
      }
    >
      <MenuItem
        icon={<Copy size={14} />}
        onSelect={() => void navigate({ to: '/agents/new', search: { from: detail.agentId } })}
      >
        {text('agents.duplicate')}
      </MenuItem>
      <MenuSeparator />
      <MenuItem danger icon={<Trash2 size={14} />} onSelect={remove}>
        {text('agents.delete')}
      </MenuItem>
    </Menu>
  );
}

/** Gone at once for the person, and on the server when there was time to think better of it. */
function useDelete({ agentId, displayName, version }: AgentDetail): () => void {
  const text = useText();
  const { client } = useLiveConnection();
  const navigate = useNavigate();
  const children = useAgents().filter(({ parentAgentId }) => parentAgentId === agentId);
  const open = () => void navigate({ to: '/agents/$', params: { _splat: agentId } });
  return () => {
    if (children.length > 0) {
      const names = children.map((child) => child.displayName).join(', ');
      return void notify({ title: text('agents.stillUsed', { name: displayName, names }) });
    }
    const takeBack = deleteAgentSoon(client, agentId, version, (error) => notify({ title: error.message }));
    const undo = () => {
      if (takeBack()) open();
    };
    void navigate({ to: '/' });
    notify({ title: text('agents.deleted', { name: displayName }), undo: { label: text('action.undo'), run: undo } });
  };
}

export function AgentLink({ agentId, name }: { agentId: string; name: string }) {
  return (
    <Link
      to="/agents/$"
      params={{ _splat: agentId }}
      className="touch-link inline-block py-0.75 text-link hover:underline"
    >
      {name}
    </Link>
  );
}

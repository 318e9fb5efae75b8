import { ChevronsUpDown } from 'lucide-react';
import { useState } from 'react';
import { useText } from '../../i18n/text.ts';
import { useAgentName, useAgents } from '../../live/use-agents.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { AgentTile } from '../../ui/agent-tile.tsx';
import { ClosedMenu } from '../../ui/menu.tsx';
import type { OpenedBy } from '../../ui/menu-parts.tsx';
import { notify } from '../../ui/toast.tsx';

type Loaded = typeof import('./agent-menu.tsx');

let loaded: Loaded | null = null;

async function load(): Promise<void> {
  loaded ??= await import('./agent-menu.tsx');
}

/** Who answers when no agent is named. Another choice holds from the next message on. */
export function AgentSwitcher({ sessionId, primary }: { sessionId: string; primary: string | null }) {
  const text = useText();
  const agents = useAgents();
  const live = useLiveConnection();
  const [openedBy, setOpenedBy] = useState<OpenedBy | null>(null);
  const name = useAgentName(primary);
  const choose = (agentId: string) =>
    agentId !== primary &&
    void live.client
      .call('patchSession', { sessionId, body: { agentId } })
      .then((session) => live.note(session))
      .catch((error: Error) => notify({ title: error.message }));
  const trigger = (
    <button
      type="button"
      aria-label={name ? text('composer.switchFrom', { name }) : text('composer.choose')}
      className="inline-flex h-7 min-w-0 items-center gap-1.5 touch:h-11 rounded-md border border-line px-1.5 text-sm text-fg-2 hover:bg-hover hover:text-fg"
    >
      {primary && <AgentTile agentId={primary} agent={agents.find(({ agentId }) => agentId === primary)} size={18} />}
      <span className="max-w-40 truncate">{name || text('composer.choose')}</span>
      <ChevronsUpDown size={12} className="flex-none text-fg-3" />
    </button>
  );
  if (!openedBy || !loaded) return <ClosedMenu trigger={trigger} load={load} onOpen={setOpenedBy} />;
  return <loaded.AgentMenu trigger={trigger} agents={agents} primary={primary} onChoose={choose} openedBy={openedBy} />;
}

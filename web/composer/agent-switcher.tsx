import { Menu as Base } from '@base-ui/react/menu';
import { Check, ChevronsUpDown } from 'lucide-react';
import type { Agent } from '../../contract/agents.ts';
import { useText } from '../i18n/text.ts';
import { useAgents } from '../live/use-agents.ts';
import { useLiveConnection } from '../live/use-live.ts';
import { AgentTile } from '../ui/agent-tile.tsx';
import { cx } from '../ui/cx.ts';
import { notify } from '../ui/toast.tsx';

/** Who answers when nobody is named. Another choice holds from the next message on. */
export function AgentSwitcher({ sessionId, primary }: { sessionId: string; primary: string | null }) {
  const text = useText();
  const agents = useAgents();
  const live = useLiveConnection();
  const name = agents.find(({ agentId }) => agentId === primary)?.displayName ?? primary;
  const choose = (agentId: string) =>
    agentId !== primary &&
    void live.client
      .patchSession(sessionId, { agentId })
      .then((session) => live.note(session))
      .catch((error: Error) => notify({ title: error.message }));
  return (
    <Base.Root>
      <Base.Trigger
        aria-label={name ? text('composer.switchFrom', { name }) : text('composer.choose')}
        className="inline-flex h-7 min-w-0 items-center gap-1.5 rounded-md border border-line px-1.5 text-sm text-fg-2 hover:bg-hover hover:text-fg"
      >
        {primary && <AgentTile agentId={primary} agent={agents.find(({ agentId }) => agentId === primary)} size={18} />}
        <span className="max-w-40 truncate">{name ?? text('composer.choose')}</span>
        <ChevronsUpDown size={12} className="flex-none text-fg-3" />
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner side="top" align="start" sideOffset={6} className="z-50">
          <Base.Popup className="max-h-[min(420px,var(--available-height))] w-80 max-w-[calc(100vw-24px)] overflow-y-auto rounded-lg border border-line-strong bg-raised p-1 shadow-float outline-none">
            <Base.RadioGroup value={primary} onValueChange={choose}>
              {agents.filter(isOffered).map((agent) => (
                <Choice key={agent.agentId} agent={agent} />
              ))}
            </Base.RadioGroup>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

function isOffered({ uiVisible }: Agent): boolean {
  return uiVisible;
}

function Choice({ agent }: { agent: Agent }) {
  const text = useText();
  const { agentId, displayName, description, available, unavailableReason } = agent;
  return (
    <Base.RadioItem
      value={agentId}
      disabled={!available}
      closeOnClick
      label={displayName}
      className="flex min-h-9 items-center gap-2.5 rounded-md px-2 py-1 outline-none select-none data-highlighted:bg-hover"
    >
      <AgentTile agentId={agentId} agent={agent} />
      <span className="min-w-0 flex-1">
        <span className={cx('block truncate', available ? 'font-medium' : 'text-fg-2')}>{displayName}</span>
        <span className={cx('block text-xs text-fg-3', available && 'truncate')}>
          {available ? description || agentId : (unavailableReason ?? text('composer.unavailable'))}
        </span>
      </span>
      <Base.RadioItemIndicator>
        <Check size={14} className="flex-none text-accent" />
      </Base.RadioItemIndicator>
    </Base.RadioItem>
  );
}

import { Menu as Base } from '@base-ui/react/menu';
import { Check } from 'lucide-react';
import type { ReactElement } from 'react';
import type { Agent } from '../../../contract/agents.ts';
import { builtInText, unavailableReason, useText } from '../../i18n/text.ts';
import { AgentTile } from '../../ui/agent-tile.tsx';
import { cx } from '../../ui/cx.ts';
import type { OpenedBy } from '../../ui/menu-parts.tsx';
import { usePressed } from '../../ui/menu-parts.tsx';

export interface AgentMenuProps {
  trigger: ReactElement;
  agents: readonly Agent[];
  primary: string | null;
  onChoose(agentId: string): void;
  openedBy: OpenedBy;
}

/** Loaded when it is opened for the first time, and open from the start. */
export function AgentMenu({ trigger, agents, primary, onChoose, openedBy }: AgentMenuProps) {
  const button = usePressed(openedBy);
  return (
    <Base.Root defaultOpen={openedBy === 'pointer'}>
      <Base.Trigger ref={button} render={trigger} />
      <Base.Portal>
        <Base.Positioner side="top" align="start" sideOffset={6} className="z-50">
          <Base.Popup className="max-h-[min(420px,var(--available-height))] w-80 max-w-[calc(100vw-24px)] overflow-y-auto rounded-lg border border-line-strong bg-raised p-1 shadow-float outline-none">
            <Base.RadioGroup value={primary} onValueChange={onChoose}>
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
  const { agentId, displayName, description, available } = agent;
  return (
    <Base.RadioItem
      value={agentId}
      disabled={!available}
      closeOnClick
      label={displayName}
      className="flex min-h-9 touch:min-h-11 items-center gap-2.5 rounded-md px-2 py-1 outline-none select-none data-highlighted:bg-hover"
    >
      <AgentTile agentId={agentId} agent={agent} />
      <span className="min-w-0 flex-1">
        <span className={cx('block truncate', available ? 'font-medium' : 'text-fg-2')}>{displayName}</span>
        <span className={cx('block text-xs text-fg-3', available && 'truncate')}>
          {available ? builtInText(description) || agentId : (unavailableReason(agent) ?? text('composer.unavailable'))}
        </span>
      </span>
      <Base.RadioItemIndicator>
        <Check size={14} className="flex-none text-accent" />
      </Base.RadioItemIndicator>
    </Base.RadioItem>
  );
}

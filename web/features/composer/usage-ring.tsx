import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { language, useText } from '../../i18n/text.ts';
import { useLive, useLiveConnection } from '../../live/use-live.ts';
import { ClosedMenu } from '../../ui/menu.tsx';
import type { OpenedBy } from '../../ui/menu-parts.tsx';
import { type ContextUse, contextUse } from './context-use.ts';

/** What the server reckons with where an agent's definition says nothing. */
const DEFAULT_WINDOW = 128_000;

type Loaded = typeof import('./usage-popover.tsx');

let loaded: Loaded | null = null;

export async function loadUsagePopover(): Promise<void> {
  loaded ??= await import('./usage-popover.tsx');
}

/** How full the agent's memory of this conversation is. Not there before that is known. */
export function UsageRing({ sessionId, primary }: { sessionId: string; primary: string | null }) {
  const text = useText();
  const use = useContextUse(sessionId, primary);
  const size = useWindowSize(use?.agentId ?? null);
  const [openedBy, setOpenedBy] = useState<OpenedBy | null>(null);
  if (!use || !size) return null;
  const share = Math.min(1, use.tokens / size);
  const percent = new Intl.NumberFormat(language(), { style: 'percent' }).format(share);
  const label = text('composer.contextUsed', { percent });
  const trigger = (
    <button
      type="button"
      aria-label={label}
      title={label}
      className="inline-grid size-7 flex-none place-items-center rounded-md hover:bg-hover touch:size-11"
    >
      <Ring share={share} />
    </button>
  );
  if (!openedBy || !loaded)
    return <ClosedMenu trigger={trigger} popup="dialog" load={loadUsagePopover} onOpen={setOpenedBy} />;
  return <loaded.UsagePopover trigger={trigger} title={label} sessionId={sessionId} use={use} size={size} />;
}

/** Reckoned anew when a turn or a message is stored, not with every token. */
function useContextUse(sessionId: string, primary: string | null): ContextUse | null {
  const turns = useLive((state) => state.states.get(sessionId)?.turns);
  const messages = useLive((state) => state.states.get(sessionId)?.messages);
  return useMemo(
    () => (turns && messages ? contextUse({ turns, messages }, primary) : null),
    [turns, messages, primary],
  );
}

function useWindowSize(agentId: string | null): number | null {
  const { client } = useLiveConnection();
  const version = useLive((state) => state.configurationVersion);
  const { data } = useQuery({
    queryKey: ['agent', agentId, version],
    queryFn: () => client.call('getAgent', { agentId: agentId! }),
    enabled: agentId !== null,
  });
  return data ? (data.resolved.chat?.contextWindow ?? DEFAULT_WINDOW) : null;
}

const RADIUS = 6.5;
const AROUND = 2 * Math.PI * RADIUS;

function Ring({ share }: { share: number }) {
  const color = share > 0.8 ? 'var(--st-working)' : 'var(--fg-2)';
  return (
    <svg viewBox="-9 -9 18 18" className="size-[18px] -rotate-90" aria-hidden="true">
      <circle r={RADIUS} fill="none" stroke="var(--border-strong)" strokeWidth="2.5" />
      <circle r={RADIUS} fill="none" stroke={color} strokeWidth="2.5" strokeDasharray={`${share * AROUND} ${AROUND}`} />
    </svg>
  );
}

import { Popover } from '@base-ui/react/popover';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { money } from '../i18n/money.ts';
import { language, useText } from '../i18n/text.ts';
import { useLive, useLiveConnection } from '../live/use-live.ts';
import { Button } from '../ui/button.tsx';
import { notify } from '../ui/toast.tsx';
import { type ContextUse, contextUse } from './context-use.ts';
import { compact } from './use-commands.ts';

/** What the server reckons with where an agent's definition says nothing. */
const DEFAULT_WINDOW = 128_000;

/** How full the agent's memory of this conversation is. Not there before that is known. */
export function UsageRing({ sessionId, primary }: { sessionId: string; primary: string | null }) {
  const text = useText();
  const use = useContextUse(sessionId, primary);
  const size = useWindowSize(use?.agentId ?? null);
  if (!use || !size) return null;
  const share = Math.min(1, use.tokens / size);
  const percent = new Intl.NumberFormat(language(), { style: 'percent' }).format(share);
  return (
    <Popover.Root>
      <Popover.Trigger
        aria-label={text('composer.contextUsed', { percent })}
        title={text('composer.contextUsed', { percent })}
        className="inline-grid size-7 place-items-center rounded-md hover:bg-hover"
      >
        <Ring share={share} />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner side="top" align="end" sideOffset={6} className="z-50">
          <Popover.Popup className="w-64 rounded-lg border border-line-strong bg-raised p-3 shadow-float outline-none">
            <Popover.Title className="font-medium">{text('composer.contextUsed', { percent })}</Popover.Title>
            <Details sessionId={sessionId} use={use} size={size} />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
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
    queryFn: () => client.getAgent(agentId!),
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

function Details({ sessionId, use, size }: { sessionId: string; use: ContextUse; size: number }) {
  const text = useText();
  const live = useLiveConnection();
  const [isBusy, setBusy] = useState(false);
  const { data } = useQuery({
    queryKey: ['usage', 'session', sessionId, use.turnId],
    queryFn: () => live.client.usage({ session: sessionId }),
  });
  const total = data?.total;
  const compactNow = () => {
    setBusy(true);
    void compact(live, sessionId)
      .catch((error: Error) => notify({ title: error.message }))
      .finally(() => setBusy(false));
  };
  return (
    <>
      <dl className="mt-2 grid grid-cols-[1fr_auto] gap-y-1 text-fg-2">
        <Figure
          name={text('composer.contextNow')}
          value={text('composer.ofTokens', { used: tokens(use.tokens), all: tokens(size) })}
        />
        <Figure name={text('composer.lastTurn')} value={text('composer.inOut', inOut(use.usage))} />
        {total && <Figure name={text('composer.wholeSession')} value={text('composer.inOut', inOut(total))} />}
        {data?.total.cost !== undefined && (
          <Figure name={text('composer.cost')} value={money(data.total.cost, data.currency)} />
        )}
      </dl>
      <Button className="mt-3 w-full" disabled={isBusy} onClick={compactNow}>
        {text(isBusy ? 'composer.compacting' : 'composer.compactNow')}
      </Button>
      <p className="mt-1.5 text-xs text-fg-3">{text('composer.compactAbout')}</p>
    </>
  );
}

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd className="text-right text-fg">{value}</dd>
    </>
  );
}

function inOut({ inputTokens, outputTokens }: { inputTokens: number; outputTokens: number }) {
  return { input: tokens(inputTokens), output: tokens(outputTokens) };
}

function tokens(count: number): string {
  return new Intl.NumberFormat(language(), { notation: 'compact', maximumFractionDigits: 1 }).format(count);
}

import { Popover } from '@base-ui/react/popover';
import { useQuery } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { money } from '../../i18n/formats.ts';
import { language, useText } from '../../i18n/text.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { Button } from '../../ui/button.tsx';
import { notify } from '../../ui/toast.tsx';
import type { ContextUse } from './context-use.ts';
import { compact } from './use-commands.ts';

interface DetailsProps {
  sessionId: string;
  use: ContextUse;
  size: number;
}

/** Loaded when it is opened for the first time, and open from the start. */
export function UsagePopover({ trigger, title, ...details }: DetailsProps & { trigger: ReactElement; title: string }) {
  return (
    <Popover.Root defaultOpen>
      <Popover.Trigger render={trigger} />
      <Popover.Portal>
        <Popover.Positioner side="top" align="end" sideOffset={6} className="z-50">
          <Popover.Popup className="w-64 rounded-lg border border-line-strong bg-raised p-3 shadow-float outline-none">
            <Popover.Title className="font-medium">{title}</Popover.Title>
            <Details {...details} />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

function Details({ sessionId, use, size }: DetailsProps) {
  const text = useText();
  const live = useLiveConnection();
  const [isBusy, setBusy] = useState(false);
  const { data } = useQuery({
    queryKey: ['usage', 'session', sessionId, use.turnId],
    queryFn: () => live.client.call('usage', { query: { session: sessionId } }),
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

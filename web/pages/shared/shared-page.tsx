import { type ReactNode, useEffect } from 'react';
import type { ShareClient } from '../../../client/share-client.ts';
import type { SharedSession } from '../../../contract/shares.ts';
import { useText } from '../../i18n/text.ts';
import { clockTime, shortDate } from '../../i18n/time.ts';
import { Button } from '../../ui/button.tsx';
import { Badge } from '../../ui/page.tsx';
import { GoOn } from './go-on.tsx';
import { Looks } from './looks.tsx';
import { SharedTranscript } from './shared-transcript.tsx';
import { useReading } from './use-reading.ts';

/** For whoever has the link, whoever they are: what was said until it was shared, to be read and nothing else. */
export function SharedPage({ client, token }: { client: ShareClient; token: string }) {
  const text = useText();
  const { reading, again } = useReading(client, token);
  return (
    <div className="mx-auto flex min-h-full w-full max-w-[calc(var(--measure)+32px)] flex-col px-4">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2.5 print:hidden">
        <img src="/icon.svg" alt="" width={20} height={20} />
        <span className="font-semibold">{text('app.name')}</span>
        <Looks />
      </header>
      {reading.state === 'read' ? (
        <Copy shared={reading.shared} client={client} token={token} />
      ) : (
        <main className="grid flex-1 place-items-center pb-24">
          {reading.state === 'reading' && <p role="status">{text('app.loading')}</p>}
          {reading.state === 'nowhere' && <Nowhere />}
          {reading.state === 'failed' && <Failed again={again} />}
        </main>
      )}
    </div>
  );
}

interface CopyProps {
  shared: SharedSession;
  client: ShareClient;
  token: string;
}

function Copy({ shared, client, token }: CopyProps) {
  const text = useText();
  const { title, sharedAt, messages, canCopy } = shared;
  useTabTitle(title);
  return (
    <>
      <main className="flex-1">
        <div className="border-b border-line pt-2 pb-4">
          <h1 dir="auto" className="text-xl leading-snug font-semibold [overflow-wrap:anywhere]">
            {title}
          </h1>
          <p className="mt-1.5 flex flex-wrap items-center gap-x-2 gap-y-1 text-fg-2">
            <Badge>{text('shared.readOnly')}</Badge>
            <time dateTime={sharedAt}>
              {text('shared.at', { date: shortDate(sharedAt), time: clockTime(sharedAt) })}
            </time>
          </p>
          <GoOn client={client} token={token} canCopy={canCopy} />
        </div>
        <SharedTranscript messages={messages} />
      </main>
      <footer className="border-t border-line pt-4 pb-10 text-fg-2">
        <p>{text('shared.end')}</p>
        {canCopy && <GoOn client={client} token={token} canCopy again />}
      </footer>
    </>
  );
}

function useTabTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Parley`;
  }, [title]);
}

/** The same words whether there never was anything, or is not any more. */
function Nowhere() {
  const text = useText();
  return <Notice title={text('shared.nowhere')}>{text('shared.nowhereHint')}</Notice>;
}

function Failed({ again }: { again(): void }) {
  const text = useText();
  return (
    <Notice title={text('shared.failed')} action={<Button onClick={again}>{text('error.retry')}</Button>}>
      {text('shared.failedHint')}
    </Notice>
  );
}

function Notice({ title, children, action }: { title: string; children: ReactNode; action?: ReactNode }) {
  useTabTitle(title);
  return (
    <div role="alert" className="flex max-w-sm flex-col items-center gap-2 p-4 text-center">
      <h1 className="text-lg font-semibold">{title}</h1>
      <p className="text-md text-fg-2">{children}</p>
      {action}
    </div>
  );
}

import { useQuery } from '@tanstack/react-query';
import { useText } from '../i18n/text.ts';
import { useLiveConnection } from '../live/use-live.ts';
import { revealHidden } from '../markdown/safe-url.ts';
import { Dialog } from '../ui/dialog.tsx';

/** The request that was built for a turn, word for word. */
export function SeenDialog({ turnId, onClose }: { turnId: string; onClose(): void }) {
  const text = useText();
  const { client } = useLiveConnection();
  const { data } = useQuery({ queryKey: ['seen', turnId], queryFn: () => client.seenByTurn(turnId) });
  return (
    <Dialog open onClose={onClose} title={text('rail.seen')} wide>
      {data?.steps.map((step) => (
        <section key={step.step} className="mb-4">
          <h3 className="mb-1 font-semibold">
            {text('rail.step', { number: step.step + 1, tokens: step.estimatedTokens })}
          </h3>
          <Said who="system" words={step.system} />
          {step.messages.map((message, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: what was seen does not change
            <Said key={index} who={message.role} words={message.text} />
          ))}
        </section>
      )) ?? <p className="text-fg-3">{text('app.loading')}</p>}
    </Dialog>
  );
}

function Said({ who, words }: { who: string; words: string }) {
  return (
    <div className="mb-2 rounded-md border border-line p-2">
      <p className="text-2xs text-fg-3">{who}</p>
      <pre className="max-h-60 overflow-auto font-mono text-xs whitespace-pre-wrap">{revealHidden(words)}</pre>
    </div>
  );
}

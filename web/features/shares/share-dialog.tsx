import { useState } from 'react';
import { useText } from '../../i18n/page-words.ts';
import { sessionTitle } from '../../i18n/text.ts';
import { useSession } from '../../live/use-live.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/page.tsx';
import { isOnlyHere, shareProblem } from './link-of.ts';
import { ShareLinks } from './share-links.tsx';
import { useCreateShare, useShares } from './use-shares.ts';

/** What a link would show, to whom, and the links there are. */
export default function ShareDialog({ sessionId, onClose }: { sessionId: string; onClose(): void }) {
  const text = useText();
  const session = useSession(sessionId);
  const [made, setMade] = useState<string | null>(null);
  const { data } = useShares(sessionId);
  const begin = new URL(data?.publicUrl ?? location.origin);
  return (
    <Dialog open onClose={onClose} title={text('share.title', { title: sessionTitle(session?.title) })} wide>
      <p className="max-w-[62ch]">{text('share.what')}</p>
      {isOnlyHere(begin.hostname) && (
        <p className="mt-2 max-w-[62ch] border-l-2 border-line-strong pl-3 text-fg-2">
          {text('share.onlyHere', { host: begin.host })}
        </p>
      )}
      {session?.messageCount === 0 ? (
        <p className="mt-3 text-fg-2">{text('share.nothing')}</p>
      ) : (
        <NewLink sessionId={sessionId} onMade={setMade} />
      )}
      <Links sessionId={sessionId} made={made} />
    </Dialog>
  );
}

function NewLink({ sessionId, onMade }: { sessionId: string; onMade(id: string): void }) {
  const text = useText();
  const create = useCreateShare(sessionId);
  const [toolDetails, setToolDetails] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const make = () => {
    setBusy(true);
    setProblem(null);
    create(toolDetails)
      .then(({ id }) => onMade(id))
      .catch((error: Error) => setProblem(shareProblem(error)))
      .finally(() => setBusy(false));
  };
  return (
    <div className="mt-3">
      <label className="flex min-h-7 items-start gap-2">
        <input
          type="checkbox"
          checked={toolDetails}
          onChange={(event) => setToolDetails(event.target.checked)}
          className="mt-0.5 size-4 flex-none accent-(--accent)"
        />
        <span>
          {text('share.toolDetails')}
          <span className="block text-xs text-fg-3">{text('share.toolDetailsHint')}</span>
        </span>
      </label>
      {/* Kept where the keyboard is: a button that cannot be pressed would lose it. */}
      <Button look="primary" className="mt-3" aria-disabled={isBusy} onClick={() => !isBusy && make()}>
        {text(isBusy ? 'share.making' : 'share.make')}
      </Button>
      <p role="alert" className="mt-2 text-danger empty:hidden">
        {problem}
      </p>
    </div>
  );
}

/** Nothing at all where nothing has been shared yet. */
function Links({ sessionId, made }: { sessionId: string; made: string | null }) {
  const text = useText();
  const { data, isError, error, refetch } = useShares(sessionId);
  if (isError && !data) return <Failure error={error} retry={() => void refetch()} />;
  const shares = data?.shares ?? [];
  return (
    <div className="mt-4">
      {shares.length > 0 && <h3 className="font-semibold">{text('share.links')}</h3>}
      <ShareLinks label={text('share.links')} shares={shares} publicUrl={data?.publicUrl} made={made} />
    </div>
  );
}

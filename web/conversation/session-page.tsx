import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { usePanes } from '../app/panes.ts';
import { sessionRoute } from '../app/session-route.ts';
import { Composer } from '../composer/composer.tsx';
import { useText } from '../i18n/text.ts';
import { useConversation, useLiveConnection } from '../live/use-live.ts';
import { Rail } from '../rail/rail.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { Announcer } from './announcer.tsx';
import { Transcript } from './transcript.tsx';
import { Welcome } from './welcome.tsx';

export function SessionPage() {
  const { sessionId } = sessionRoute.useParams();
  const { message } = sessionRoute.useSearch();
  const { right } = usePanes();
  const failure = useOpen(sessionId);
  if (failure) return <Missing words={failure} />;
  return (
    <>
      <main className="flex min-w-0 flex-1 flex-col">
        <Conversation key={sessionId} sessionId={sessionId} target={message} />
      </main>
      {right && <Rail sessionId={sessionId} />}
    </>
  );
}

/** Opens the conversation; gives the words of what went wrong, if anything did. */
function useOpen(sessionId: string): string | null {
  const live = useLiveConnection();
  const [failure, setFailure] = useState<{ sessionId: string; words: string } | null>(null);
  useEffect(() => {
    live.open(sessionId).then(
      () => live.client.markRead(sessionId).catch(() => undefined),
      (error: Error) => setFailure({ sessionId, words: error.message }),
    );
  }, [live, sessionId]);
  return failure?.sessionId === sessionId ? failure.words : null;
}

function Missing({ words }: { words: string }) {
  const text = useText();
  return (
    <main className="m-auto">
      <EmptyState title={text('conversation.missing')} action={<Link to="/">{text('nav.dashboard')}</Link>}>
        {words}
      </EmptyState>
    </main>
  );
}

function Conversation({ sessionId, target }: { sessionId: string; target: string | undefined }) {
  const text = useText();
  const state = useConversation(sessionId);
  if (!state) return <p className="m-auto text-fg-3">{text('app.loading')}</p>;
  const isEmpty = state.headId === null && state.open.length === 0 && state.queue.length === 0;
  return (
    <>
      {isEmpty ? <Welcome sessionId={sessionId} /> : <Transcript state={state} target={target} />}
      <Composer sessionId={sessionId} />
      <Announcer state={state} />
    </>
  );
}

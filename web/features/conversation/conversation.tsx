import { Link } from '@tanstack/react-router';
import { memo, useEffect, useRef, useState } from 'react';
import { ConnectionError } from '../../../client/connection-error.ts';
import type { SessionState } from '../../../client/session-state.ts';
import { AppError } from '../../../contract/errors.ts';
import { useText } from '../../i18n/text.ts';
import { useConversation, useLive, useLiveConnection } from '../../live/use-live.ts';
import { useHiddenMessages } from '../../state/message-deletions.ts';
import { useOutbox } from '../../state/outbox.ts';
import { usePanes } from '../../state/panes.ts';
import { useSlots } from '../../state/slots.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Announcer } from './announcer.tsx';
import { useFindKey } from './find/use-find-key.ts';
import { ConversationId } from './opened-session.tsx';
import { placeIn } from './places.ts';
import { TitleBar } from './title-bar.tsx';
import { Transcript } from './transcript.tsx';
import type { Target } from './use-jump.ts';
import { Welcome } from './welcome.tsx';
import { WithPanel } from './with-panel.tsx';

interface Props {
  sessionId: string;
  /** Behind another one it is kept as it is: nothing of it is drawn until it is shown again. */
  isShown: boolean;
  target: Target | undefined;
}

/** One session: its name, what was said, where the person speaks, and the details beside it. */
export const Conversation = memo(function Conversation({ sessionId, target }: Props) {
  const { right } = usePanes();
  const { Rail, ModelInput } = useSlots();
  const main = useRef<HTMLElement>(null);
  const problem = useOpen(sessionId);
  const state = useConversation(sessionId);
  useFindKey(sessionId, main);
  if (problem !== null && !state) return <Missing problem={problem} />;
  return (
    <ConversationId value={sessionId}>
      <main ref={main} className="flex min-w-0 flex-1 flex-col">
        <TitleBar sessionId={sessionId} />
        {state ? <Spoken state={state} target={target} /> : <Loading />}
      </main>
      {right && <Rail sessionId={sessionId} />}
      <ModelInput sessionId={sessionId} />
    </ConversationId>
  );
});

/**
 * Opens the conversation as far back as the person was, and again when the server is back; gives what went wrong, if
 * anything did.
 */
function useOpen(sessionId: string): Error | null {
  const live = useLiveConnection();
  const isConnected = useLive(({ connection }) => connection === 'open');
  const [problem, setProblem] = useState<Error | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once more with every connection
  useEffect(() => {
    let isLeft = false;
    live.open(sessionId, placeIn(sessionId)?.seq).then(() => {
      setProblem(null);
      const unread = live.store.getState().sessions.get(sessionId)?.unreadCount ?? 0;
      if (unread > 0 && !document.hidden && !isLeft) void live.client.markRead(sessionId).catch(() => undefined);
    }, setProblem);
    return () => {
      isLeft = true;
    };
  }, [live, sessionId, isConnected]);
  return problem;
}

function Spoken({ state, target }: { state: SessionState; target: Target | undefined }) {
  const { sessionId } = state;
  const text = useText();
  const outgoing = useOutbox(sessionId);
  const { Composer } = useSlots();
  const isSilent = useIsSilent(state);
  if (state.deleted) return <Gone title={text('conversation.missing')} words={text('conversation.deleted')} />;
  const isEmpty = isSilent && state.open.length === 0 && state.queue.length === 0 && outgoing.length === 0;
  return (
    <WithPanel state={state}>
      {isEmpty ? <Welcome sessionId={sessionId} /> : <Transcript state={state} outgoing={outgoing} target={target} />}
      <Composer sessionId={sessionId} />
      <Announcer state={state} />
    </WithPanel>
  );
}

/** Nothing was said, or everything that was is being deleted. */
function useIsSilent({ sessionId, headId, messages }: SessionState): boolean {
  const hidden = useHiddenMessages();
  const isWhole = useLive(({ earlier }) => typeof earlier.get(sessionId) !== 'number');
  if (headId === null) return true;
  return isWhole && messages.size <= hidden.size && [...messages.keys()].every((id) => hidden.has(id));
}

function Loading() {
  return <p className="m-auto text-fg-3">{useText()('app.loading')}</p>;
}

/** Only the server can say that there is no such session; after any other error there may well be one. */
function Missing({ problem }: { problem: Error }) {
  const text = useText();
  const isUnknown = problem instanceof AppError && problem.code === 'session_not_found';
  const words = problem instanceof ConnectionError ? text('page.failedHint') : problem.message;
  return (
    <main className="flex min-w-0 flex-1">
      <Gone title={text(isUnknown ? 'conversation.missing' : 'page.failed')} words={words} />
    </main>
  );
}

function Gone({ title, words }: { title: string; words: string }) {
  const text = useText();
  return (
    <div className="m-auto">
      <EmptyState
        level={1}
        title={title}
        action={
          <Link to="/" className="inline-flex items-center text-link underline touch:min-h-11">
            {text('page.toDashboard')}
          </Link>
        }
      >
        {words}
      </EmptyState>
    </div>
  );
}

import { Link } from '@tanstack/react-router';
import { memo, useCallback, useEffect, useRef, useState } from 'react';
import { ConnectionError } from '../../../client/connection-error.ts';
import type { SessionState } from '../../../client/session-state.ts';
import type { Action } from '../../../contract/actions.ts';
import type { Agent } from '../../../contract/agents.ts';
import { AppError } from '../../../contract/errors.ts';
import { builtInText, unavailableReason, useText } from '../../i18n/text.ts';
import type { Live } from '../../live/live.ts';
import { useAgent, useAgentName, useAgents } from '../../live/use-agents.ts';
import { useConversation, useLive, useLiveConnection, useSession } from '../../live/use-live.ts';
import { Markdown } from '../../markdown/markdown.tsx';
import { OpenPreview, type PreviewSource, SaveCode } from '../../markdown/previews.ts';
import { useActionTitle } from '../../state/action-title.ts';
import { addToDraft } from '../../state/drafts.ts';
import { useHiddenMessages } from '../../state/message-deletions.ts';
import { useSayMissing } from '../../state/missing-page.ts';
import { useOutbox } from '../../state/outbox.ts';
import { loadPanels } from '../../state/panels-loaded.ts';
import { usePanes } from '../../state/panes.ts';
import { useSlots } from '../../state/slots.tsx';
import { AgentTile } from '../../ui/agent-tile.tsx';
import { Button } from '../../ui/button.tsx';
import { CommandWords } from '../../ui/command-words.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { shownBox } from '../../ui/keyboard-focus.ts';
import { notify } from '../../ui/toast.tsx';
import { useFindKey } from './find/use-find.ts';
import { ConversationId } from './opened-session.tsx';
import { TitleBar } from './title-bar.tsx';
import { Transcript } from './transcript.tsx';
import type { Target } from './use-jump.ts';
import { placeIn } from './use-list.ts';

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
  const preview = usePreviews(sessionId);
  const save = useSaveCode(sessionId);
  if (problem !== null && !state) return <Missing problem={problem} />;
  return (
    <ConversationId value={sessionId}>
      <OpenPreview value={preview}>
        <SaveCode value={save}>
          <main ref={main} className="flex min-w-0 flex-1 flex-col">
            <TitleBar sessionId={sessionId} />
            {state ? <Spoken state={state} target={target} /> : <Loading />}
          </main>
        </SaveCode>
      </OpenPreview>
      {right && <Rail sessionId={sessionId} />}
      <ModelInput sessionId={sessionId} />
    </ConversationId>
  );
});

/** Shows code of this conversation beside it. */
function usePreviews(sessionId: string): (source: PreviewSource) => void {
  const text = useText();
  return useCallback(
    (source) =>
      void loadPanels().then(
        ({ openPreview }) => openPreview(sessionId, source),
        () => notify({ title: text('page.partFailed') }),
      ),
    [sessionId, text],
  );
}

/** Keeps code of this conversation as a file, and shows it beside it. */
function useSaveCode(sessionId: string): (code: { language: string; text: string }) => void {
  const live = useLiveConnection();
  return useCallback(
    (code) => void saveCode(live, sessionId, code).catch((error: Error) => notify({ title: error.message })),
    [live, sessionId],
  );
}

async function saveCode(live: Live, sessionId: string, { language, text: code }: { language: string; text: string }) {
  const [{ openPanel }, { keepContents, nameOfCode }] = await Promise.all([
    loadPanels(),
    import('../../artifacts/keep-file.ts'),
  ]);
  const { id } = await keepContents(live, nameOfCode(language), new Blob([code]));
  openPanel(sessionId, 'file', { artifactId: id });
}

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
      if (unread > 0 && !document.hidden && !isLeft)
        void live.client.call('markRead', { sessionId }).catch(() => undefined);
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
  const { Composer, Beside } = useSlots();
  const isSilent = useIsSilent(state);
  if (state.deleted) return <Gone title={text('conversation.missing')} words={text('conversation.deleted')} />;
  const isEmpty = isSilent && state.open.length === 0 && state.queue.length === 0 && outgoing.length === 0;
  return (
    <Beside state={state}>
      {isEmpty ? <Welcome sessionId={sessionId} /> : <Transcript state={state} outgoing={outgoing} target={target} />}
      <Composer sessionId={sessionId} />
      <Announcer state={state} />
    </Beside>
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
      {isUnknown ? (
        <Gone title={text('conversation.missing')} words={text('conversation.missingHint')} />
      ) : (
        <Gone title={text('page.failed')} words={words} />
      )}
    </main>
  );
}

function Gone({ title, words }: { title: string; words: string }) {
  const text = useText();
  useSayMissing(title);
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

const LONGEST = 600;

/** Tells those who listen what has been said, once it is whole, and what is wanted of them. Never tokens. */
function Announcer({ state }: { state: SessionState }) {
  const asked = [...state.actions.values()].at(-1);
  return (
    <>
      <p aria-live="polite" className="sr-only">
        {useReply(state)}
      </p>
      <p aria-live="polite" className="sr-only">
        {asked && <Asked action={asked} />}
      </p>
    </>
  );
}

/** Only what comes while one looks on: what was said behind another conversation is read, not told. */
function useReply({ messages, headId }: SessionState): string {
  const text = useText();
  const [words, setWords] = useState('');
  const last = messages.get(headId ?? '');
  const name = useAgentName(last?.agent ?? null);
  const heard = useRef<string | null | undefined>(undefined);
  useEffect(() => {
    const before = heard.current;
    heard.current = last?.id ?? null;
    if (before === undefined || before === heard.current || last?.role !== 'assistant') return;
    setWords(`${text('announce.replied', { name })} ${last.text.slice(0, LONGEST)}`);
  }, [last, name, text]);
  useEffect(
    () => () => {
      heard.current = undefined;
      setWords('');
    },
    [],
  );
  return words;
}

function Asked({ action }: { action: Action }) {
  return useActionTitle(action);
}

/** An empty session: the agent, its greeting and a few ways to begin. */
function Welcome({ sessionId }: { sessionId: string }) {
  const text = useText();
  const session = useSession(sessionId);
  const agent = useAgent(session?.agentId ?? null);
  return (
    <div className="m-auto max-w-md p-6 text-center">
      {agent && <AgentTile agentId={agent.agentId} agent={agent} size={40} />}
      <h2 className="mt-3 text-lg font-semibold">{agent?.displayName ?? text('conversation.nobodyYet')}</h2>
      <div className="mt-1 text-fg-2">
        <Markdown
          text={agent ? builtInText(agent.welcomeMessage ?? agent.description) : text('conversation.nobodyHint')}
        />
      </div>
      {agent?.unavailableReason && (
        <p className="mt-3 text-danger">
          <CommandWords words={unavailableReason(agent)} />
        </p>
      )}
      {agent?.available && <Starters sessionId={sessionId} agent={agent} />}
    </div>
  );
}

/** The agent's own, else general ones. Each puts words into the message box, where they can be changed before they are sent. */
function Starters({ sessionId, agent }: { sessionId: string; agent: Agent }) {
  const text = useText();
  const others = useAgents().filter(({ parentAgentId, available }) => parentAgentId === agent.agentId && available);
  const general = [
    text('welcome.abilities'),
    ...others.slice(0, 2).map(({ displayName }) => text('welcome.delegate', { name: displayName })),
  ];
  const starters = agent.starters.length > 0 ? new Set(agent.starters) : general;
  const begin = (words: string) => {
    addToDraft(sessionId, words);
    shownBox()?.focus();
  };
  return (
    <div className="mt-4 flex flex-wrap justify-center gap-2">
      {[...starters].map((words) => (
        <Button
          key={words}
          className="h-auto min-h-7 rounded-2xl py-1 text-left whitespace-normal touch:min-h-11"
          onClick={() => begin(words)}
        >
          {words}
        </Button>
      ))}
    </div>
  );
}

import { useQuery } from '@tanstack/react-query';
import { memo, useEffect, useId, useRef, useState } from 'react';
import { withoutContextLine } from '../../../contract/context-line.ts';
import type { Mentions } from '../../../contract/delegation.ts';
import { useText } from '../../i18n/text.ts';
import { useAgentName, useAgentNames } from '../../live/use-agents.ts';
import { useLive, useLiveConnection, useSession } from '../../live/use-live.ts';
import { addToDraft } from '../../state/drafts.ts';
import { outboxOf, useUnsent } from '../../state/outbox.ts';
import { usePanelsLoaded } from '../../state/panels-loaded.ts';
import type { Outgoing } from '../../state/sending.ts';
import { useBottomBar } from '../../ui/bottom-bar.ts';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { lazyDialog } from '../../ui/lazy-dialog.tsx';
import { lazyPart } from '../../ui/lazy-part.tsx';
import { useIsNarrow } from '../../ui/use-media.ts';
import { AttachmentChips } from './attachment-chips.tsx';
import { attachAgain } from './attachments.ts';
import { ComposerBar } from './composer-bar.tsx';
import { MessageBox } from './message-box.tsx';
import { QueueList } from './queue-list.tsx';
import { SuggestionList } from './suggestion-list.tsx';
import { leadOf } from './suggestions.ts';
import type { CommandDialog } from './use-commands.ts';
import { useComposing } from './use-composing.ts';
import { useFiles } from './use-files.ts';
import { useItemDrop } from './use-item-drop.ts';

/** Where the person speaks. Drawn apart from the transcript: typing draws nothing of it, and tokens nothing of this. */
export const Composer = memo(function Composer({ sessionId }: { sessionId: string }) {
  const isGone = useLive((state) => state.states.get(sessionId)?.deleted ?? false);
  return isGone ? null : <Box sessionId={sessionId} />;
});

function Box({ sessionId }: { sessionId: string }) {
  const text = useText();
  const section = useRef<HTMLElement>(null);
  useBottomBar(section);
  return (
    <section
      ref={section}
      data-composer=""
      aria-label={text('composer.label')}
      className="@container mx-auto w-full max-w-[calc(var(--measure)+24px)] flex-none px-3 pb-3"
    >
      <UnsentMessages sessionId={sessionId} />
      <QueueList sessionId={sessionId} />
      <ComposerCard key={sessionId} sessionId={sessionId} />
    </section>
  );
}

/** What has not reached the server, or was not accepted: its words are here until it has, or the person decides. */
function UnsentMessages({ sessionId }: { sessionId: string }) {
  const unsent = useUnsent(sessionId);
  return unsent.map((one) => <Unsent key={one.id} unsent={one} />);
}

function Unsent({ unsent }: { unsent: Outgoing }) {
  const text = useText();
  const outbox = outboxOf(useLiveConnection());
  const { id, sessionId, content, files, state, reason } = unsent;
  const words = withoutContextLine(content);
  const isRefused = state === 'failed';
  const edit = () => {
    outbox.discard(id);
    attachAgain(sessionId, files);
    addToDraft(sessionId, words);
  };
  return (
    <div
      role={isRefused ? 'alert' : 'status'}
      className={cx('mb-1.5 rounded-lg border bg-raised px-3 py-2', isRefused ? 'border-danger/50' : 'border-line')}
    >
      {isRefused && <p className="font-medium text-danger">{text('composer.notSent')}</p>}
      <p>{isRefused ? (reason ?? text('composer.notSentLongAgo')) : text('composer.goesOutLater')}</p>
      <p className="mt-1 line-clamp-2 break-words text-fg-2">{words || files.map(({ name }) => name).join(', ')}</p>
      <div className="mt-1.5 flex flex-wrap gap-1.5">
        <Button onClick={() => outbox.retry(id)}>{text('error.retry')}</Button>
        {isRefused && <Button onClick={edit}>{text('composer.edit')}</Button>}
        <Button look="danger" onClick={() => outbox.discard(id)}>
          {text('composer.discard')}
        </Button>
      </div>
    </div>
  );
}

const ContextChip = lazyPart(async () => (await import('./context-chip.tsx')).ContextChip);
const CommandDialogs = lazyDialog(async () => (await import('./command-dialogs.tsx')).CommandDialogs);

/** Below this width of the window there is room for one short sentence in an empty box. */
const NARROW = 640;

/** The box, what it offers while one writes, and the line of buttons under it. */
function ComposerCard({ sessionId }: { sessionId: string }) {
  const listId = useId();
  const card = useRef<HTMLDivElement>(null);
  const box = useRef<HTMLTextAreaElement>(null);
  const [dialog, setDialog] = useState<CommandDialog | null>(null);
  const primary = useSession(sessionId)?.agentId ?? null;
  const files = useFiles(sessionId, primary, card);
  const arePanelsLoaded = usePanelsLoaded();
  const isItemOver = useItemDrop(sessionId, card, arePanelsLoaded);
  const composing = useComposing(sessionId, box, setDialog);
  const { writing, heard, offer, notice } = composing;
  return (
    <div
      ref={card}
      className={cx(
        'relative rounded-[12px] border bg-raised shadow-float focus-within:border-fg-3',
        files.isOver || isItemOver ? 'border-accent' : 'border-line-strong',
      )}
    >
      {offer.list && <SuggestionList id={listId} offer={offer} onTake={(one) => composing.accept(one, true)} />}
      {arePanelsLoaded && <ContextChip sessionId={sessionId} />}
      <AttachmentChips sessionId={sessionId} box={box} />
      <MessageBox
        box={box}
        writing={writing}
        heard={heard}
        offer={offer}
        listId={listId}
        placeholder={usePlaceholder(primary)}
        describedBy={`${listId}-told`}
        onKeyDown={composing.onKeyDown}
        onPaste={files.onPaste}
        onFocus={composing.setFocused}
      />
      <div id={`${listId}-told`} role="status">
        <MentionPreview sessionId={sessionId} text={writing.text} isChoosing={offer.list !== null} />
        {notice && <p className="px-3.5 pb-1 text-xs text-danger">{notice}</p>}
        {offer.list && <Count count={offer.list.items.length} />}
      </div>
      <ComposerBar sessionId={sessionId} primary={primary} box={box} files={files} composing={composing} />
      {dialog && <CommandDialogs sessionId={sessionId} shown={dialog} onClose={() => setDialog(null)} />}
    </div>
  );
}

function usePlaceholder(primary: string | null): string {
  const text = useText();
  const name = useAgentName(primary);
  const isNarrow = useIsNarrow(NARROW);
  if (!name) return text('composer.placeholderNobody');
  return text(isNarrow ? 'composer.placeholderShort' : 'composer.placeholder', { name });
}

function Count({ count }: { count: number }) {
  return <p className="sr-only">{useText()('composer.offered', { count })}</p>;
}

const SETTLE_MS = 200;

interface PreviewProps {
  sessionId: string;
  text: string;
  /** Names are being suggested: the one that is being typed may be incomplete. */
  isChoosing: boolean;
}

/** Who will answer, as the server reads it, whenever a message begins with an agent's name. */
function MentionPreview({ sessionId, text: written, isChoosing }: PreviewProps) {
  const text = useText();
  const nameOf = useAgentNames();
  const mentions = useMentions(sessionId, useSettled(leadOf(written)));
  const shown = leadOf(written) === null ? null : mentions;
  if (!shown) return null;
  const who = shown.answering.map(({ agentId, guest }) =>
    guest ? text('composer.asGuest', { name: nameOf(agentId) }) : nameOf(agentId),
  );
  const [unknown] = isChoosing ? [] : shown.unknown;
  const parts = [
    who.length > 0 && text('composer.answers', { who: who.join(text('composer.then')) }),
    unknown !== undefined && text('composer.nobodyCalled', { name: unknown }),
  ];
  return (
    <p className="truncate px-3.5 pb-1 text-xs text-fg-2" title={who.join(', ')}>
      {parts.filter(Boolean).join(' · ')}
    </p>
  );
}

function useMentions(sessionId: string, lead: string | null): Mentions | null {
  const { client } = useLiveConnection();
  const session = useSession(sessionId);
  const here = [session?.agentId, ...(session?.agents ?? [])];
  const { data } = useQuery({
    queryKey: ['mentions', sessionId, here, lead],
    queryFn: () => client.call('previewMentions', { sessionId, body: { content: lead! } }),
    enabled: lead !== null,
    placeholderData: (before) => before,
  });
  return lead === null ? null : (data ?? null);
}

/** What a value is once it has stayed the same for a moment. */
function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

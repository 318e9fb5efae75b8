import { useQuery } from '@tanstack/react-query';
import { useEffect, useId, useRef, useState } from 'react';
import type { Mentions } from '../../../contract/delegation.ts';
import { useText } from '../../i18n/text.ts';
import { useAgentName, useAgentNames } from '../../live/use-agents.ts';
import { useLiveConnection, useSession } from '../../live/use-live.ts';
import { cx } from '../../ui/cx.ts';
import { lazyDialog } from '../../ui/lazy-dialog.tsx';
import { useIsNarrow } from '../../ui/use-is-narrow.ts';
import { AttachmentChips } from './attachment-chips.tsx';
import { ComposerBar } from './composer-bar.tsx';
import { leadOf } from './leading-names.ts';
import { MessageBox } from './message-box.tsx';
import { SuggestionList } from './suggestion-list.tsx';
import type { CommandDialog } from './use-commands.ts';
import { useComposing } from './use-composing.ts';
import { useFiles } from './use-files.ts';

const CommandDialogs = lazyDialog(async () => (await import('./command-dialogs.tsx')).CommandDialogs);

/** Below this width of the window there is room for one short sentence in an empty box. */
const NARROW = 640;

/** The box, what it offers while one writes, and the line of buttons under it. */
export function ComposerCard({ sessionId }: { sessionId: string }) {
  const listId = useId();
  const card = useRef<HTMLDivElement>(null);
  const box = useRef<HTMLTextAreaElement>(null);
  const [dialog, setDialog] = useState<CommandDialog | null>(null);
  const primary = useSession(sessionId)?.agentId ?? null;
  const files = useFiles(sessionId, primary, card);
  const composing = useComposing(sessionId, primary, box, setDialog);
  const { writing, heard, offer, notice } = composing;
  return (
    <div
      ref={card}
      className={cx(
        'relative rounded-[12px] border bg-raised shadow-float focus-within:border-fg-3',
        files.isOver ? 'border-accent' : 'border-line-strong',
      )}
    >
      {offer.list && <SuggestionList id={listId} offer={offer} onTake={(one) => composing.accept(one, true)} />}
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

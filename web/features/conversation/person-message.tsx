import { Link } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useId, useMemo, useState } from 'react';
import { readContextLine, withoutContextLine, withSameContext } from '../../../contract/context-line.ts';
import type { Message } from '../../../contract/messages.ts';
import { speakerOf } from '../../../contract/speakers.ts';
import { clockTime } from '../../i18n/formats.ts';
import { useText } from '../../i18n/text.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { settleDeletions } from '../../state/message-deletions.ts';
import { Button } from '../../ui/button.tsx';
import { caretToEnd } from '../../ui/keyboard-focus.ts';
import { lazyPart } from '../../ui/lazy-part.tsx';
import { notify } from '../../ui/toast.tsx';
import { useFocusBack } from '../../ui/use-focus-back.ts';
import { isTouch } from '../../ui/use-media.ts';
import { AttachedFiles } from './attached-files.tsx';
import { Bubble } from './message-frame.tsx';
import { MessageParts } from './message-parts.tsx';
import { MessageSiblings, MessageToolbar } from './message-toolbar.tsx';
import { storedParts } from './shown-parts.ts';
import { Speaker, useIsSentOutput } from './speaker.tsx';
import { WebhookMessage } from './webhook-message.tsx';

const ContextLabel = lazyPart(async () => (await import('../../ui/context-label.tsx')).ContextLabel);

interface Props {
  message: Message;
  sessionId: string;
  isSending: boolean;
}

/** The person's words on the right. A task or a result that an agent sent stands under that agent's name. */
export function PersonMessage({ message, sessionId, isSending }: Props) {
  const text = useText();
  const [isEditing, setEditing] = useState(false);
  const place = useFocusBack<HTMLElement>(isEditing);
  const said = useMemo(() => readContextLine(message.text) ?? { context: null, words: message.text }, [message.text]);
  const speaker = speakerOf(message);
  if (speaker.kind === 'webhook') return <WebhookMessage message={message} name={speaker.webhook ?? ''} />;
  if (message.agent !== null) return <SentByAgent message={message} />;
  return (
    <article
      ref={place}
      aria-label={`${text('conversation.you')}, ${clockTime(message.createdAt)}`}
      className="group/message relative mb-4.5 flex flex-col items-end"
    >
      {said.context && <ContextLabel context={said.context} className="mb-1" />}
      <AttachedFiles parts={message.parts} align="end" />
      {isEditing ? (
        <EditMessage message={message} onDone={() => setEditing(false)} />
      ) : (
        <div className="flex w-full flex-row-reverse items-center">
          {said.words !== '' && <Bubble id={message.id} words={said.words} />}
          {!isSending && (
            <MessageToolbar message={message} sessionId={sessionId} align="end" onEdit={() => setEditing(true)} />
          )}
        </div>
      )}
      {isSending ? <Sending /> : <MessageSiblings message={message} sessionId={sessionId} />}
    </article>
  );
}

function SentByAgent({ message }: { message: Message }) {
  const text = useText();
  const isOutput = useIsSentOutput(message);
  const { kind } = speakerOf(message);
  const label =
    kind === 'task' ? (isOutput ? 'conversation.ranCommand' : 'conversation.assigned') : 'conversation.sentHere';
  return (
    <Speaker agentId={message.agent} at={message.createdAt}>
      <p className="mb-1 text-xs text-fg-3">{text(label)}</p>
      <MessageParts parts={storedParts(message.parts)} isOutput={isOutput} />
      <AttachedFiles parts={message.parts} align="start" />
      <WorkedElsewhere message={message} />
    </Speaker>
  );
}

const PATIENCE_MS = 400;

/** Over the gap below the message, so that nothing moves when it has been sent. Silent while sending is fast. */
function Sending() {
  const text = useText();
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <p role="status" className="absolute top-full right-0 text-xs text-fg-3">
      {isSlow && text('message.sending')}
    </p>
  );
}

/** The way to where a result was worked out, when that was not here. */
function WorkedElsewhere({ message }: { message: Message }) {
  const text = useText();
  const part = message.parts.find((one) => one.type === 'delegation');
  if (!part || part.sessionId === message.sessionId) return null;
  return (
    <Link
      to="/sessions/$sessionId"
      params={{ sessionId: part.sessionId }}
      className="mt-1 inline-flex min-h-6 items-center text-xs text-link underline"
    >
      {text('conversation.openWork')}
    </Link>
  );
}

/** Takes the place of the message being edited. The original stays reachable as another version. Enter sends, as in the composer. */
function EditMessage({ message, onDone }: { message: Message; onDone(): void }) {
  const text = useText();
  const live = useLiveConnection();
  const hintId = useId();
  const [words, setWords] = useState(withoutContextLine(message.text));
  const send = () =>
    void settleDeletions(live, message.sessionId)
      .then(() => live.client.reviseMessage(message.id, { content: withSameContext(message.text, words) }))
      .then(onDone)
      .catch((error: Error) => notify({ title: error.message }));
  const canSend = words.trim() !== '';
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || event.keyCode === 229) return;
    if (event.key === 'Escape') return onDone();
    if (event.key !== 'Enter' || event.shiftKey || (isTouch() && !event.ctrlKey && !event.metaKey)) return;
    event.preventDefault();
    if (canSend) send();
  };
  return (
    <div className="w-full rounded-xl border border-line-strong bg-raised p-2 focus-within:border-fg-3">
      <textarea
        ref={caretToEnd}
        // biome-ignore lint/a11y/noAutofocus: the person asked to write here
        autoFocus
        aria-label={text('message.edit')}
        value={words}
        onChange={(event) => setWords(event.target.value)}
        onKeyDown={onKeyDown}
        aria-describedby={hintId}
        rows={Math.min(12, words.split('\n').length + 1)}
        className="max-h-80 w-full resize-none bg-transparent px-1.5 py-1 text-md leading-relaxed outline-none field-sizing-content"
      />
      <div className="mt-2 flex flex-wrap items-center justify-end gap-2">
        <p id={hintId} className="mr-auto px-1.5 text-xs text-fg-3 touch:hidden">
          {text('message.editHint')}
        </p>
        <Button onClick={onDone}>{text('action.cancel')}</Button>
        <Button look="primary" disabled={!canSend} onClick={send}>
          {text('message.sendEdited')}
        </Button>
      </div>
    </div>
  );
}

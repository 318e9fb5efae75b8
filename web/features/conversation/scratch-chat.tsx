import { X } from 'lucide-react';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useText } from '../../i18n/agent-words.ts';
import type { Live } from '../../live/live.ts';
import { useConversation, useLiveConnection } from '../../live/use-live.ts';
import type { ScratchChatProps } from '../../state/slots.tsx';
import { leave } from '../../state/undoable-deletions.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { notify } from '../../ui/toast.tsx';
import { RowView } from './row-view.tsx';
import { toRows } from './rows.ts';

/** A word with an agent or a team beside its definition. Nothing of it stays, unless the person wants to go on with it. */
export function ScratchChat({ title, hint, note, begin, onKeep, onClose, className }: ScratchChatProps) {
  const text = useText();
  const { sessionId, send, keep, again } = useScratch(begin);
  const open = () => {
    const kept = keep();
    if (kept) onKeep?.(kept);
  };
  return (
    <section
      aria-label={title}
      className={cx('flex h-[480px] w-full flex-none flex-col rounded-lg border border-line bg-surface', className)}
    >
      <header className="flex items-center gap-1 border-b border-line py-1.5 pr-1.5 pl-3">
        <h2 className="flex-1 font-semibold">{title}</h2>
        {sessionId && <Button onClick={again}>{text('agents.testAgain')}</Button>}
        {sessionId && onKeep && <Button onClick={open}>{text('agents.testKeep')}</Button>}
        <IconButton label={text('action.close')} onClick={onClose}>
          <X size={15} />
        </IconButton>
      </header>
      {note && <p className="border-b border-line px-3 py-1.5 text-xs text-fg-2">{note}</p>}
      <div className="flex min-h-0 flex-1 flex-col-reverse overflow-y-auto px-3 py-2">
        {sessionId ? <Answers sessionId={sessionId} /> : <p className="m-auto text-fg-2">{hint}</p>}
      </div>
      <SendForm onSend={send} />
    </section>
  );
}

function Answers({ sessionId }: { sessionId: string }) {
  const state = useConversation(sessionId);
  if (!state) return null;
  return (
    <div>
      {toRows(state)
        .filter(({ kind }) => kind !== 'day')
        .map((row) => (
          <RowView key={row.key} row={row} sessionId={sessionId} />
        ))}
    </div>
  );
}

function SendForm({ onSend }: { onSend(words: string): void }) {
  const text = useText();
  const [words, setWords] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (words.trim() === '') return;
    onSend(words.trim());
    setWords('');
  };
  return (
    <form onSubmit={submit} className="flex gap-2 border-t border-line p-2">
      <input
        aria-label={text('agents.testBox')}
        placeholder={text('agents.testBox')}
        value={words}
        onChange={(event) => setWords(event.target.value)}
        className="h-8 min-w-0 flex-1 rounded-md border border-line-strong bg-bg px-2 touch:h-11"
      />
      <Button look="primary" type="submit" className="h-8" disabled={words.trim() === ''}>
        {text('message.sendEdited')}
      </Button>
    </form>
  );
}

/** A session that is made with the first message and deleted when it is left. */
function useScratch(make: ScratchChatProps['begin']) {
  const live = useLiveConnection();
  const [sessionId, setSessionId] = useState<string | null>(null);
  const current = useRef<string | null>(null);
  const forget = () => {
    const id = current.current;
    current.current = null;
    setSessionId(null);
    return id;
  };
  useEffect(() => whenLeft(() => drop(live, current.current)), [live]);
  const begin = async () => {
    const session = await make();
    current.current = session.id;
    await live.open(session.id);
    setSessionId(session.id);
    return session.id;
  };
  const send = (content: string) => {
    const sent = async () => live.client.sendMessage(current.current ?? (await begin()), { content });
    sent().catch((error: Error) => notify({ title: error.message }));
  };
  const keep = () => {
    const id = forget();
    if (id !== null)
      live.client
        .call('patchSession', { sessionId: id, body: { attributes: { scratch: null } } })
        .catch(() => undefined);
    return id;
  };
  return { sessionId, send, keep, again: () => drop(live, forget()) };
}

/** Whether the person goes to another page or closes this one. */
function whenLeft(leave: () => void): () => void {
  addEventListener('pagehide', leave);
  return () => {
    removeEventListener('pagehide', leave);
    leave();
  };
}

function drop(live: Live, id: string | null): void {
  if (id === null) return;
  leave(live.client.call('deleteSession', { sessionId: id, keepalive: true }));
}

import type { QueueEntry } from '../../../client/session-state.ts';
import { withoutContextLine } from '../../../contract/context-line.ts';
import { useText } from '../../i18n/text.ts';
import { useLive } from '../../live/use-live.ts';
import { useOutbox, useWaitingInLine } from '../../state/outbox.ts';
import { QueueChip } from './queue-chip.tsx';
import { useQueue } from './use-queue.ts';

const NONE: readonly QueueEntry[] = [];

/** Messages that wait for their turn, next first. */
export function QueueList({ sessionId }: { sessionId: string }) {
  const text = useText();
  const said = new Set(useOutbox(sessionId).map(({ id }) => id));
  const all = useLive((state) => state.states.get(sessionId)?.queue ?? NONE);
  const queue = said.size === 0 ? all : all.filter(({ message }) => !said.has(message.id));
  const { verbs, list, told } = useQueue(sessionId, queue);
  const known = new Set(queue.map(({ message }) => message.id));
  const onTheirWay = useWaitingInLine(sessionId).filter(({ id }) => !known.has(id));
  return (
    <>
      <p role="status" className="sr-only">
        {told}
      </p>
      {queue.length + onTheirWay.length > 0 && (
        <ol
          ref={list}
          aria-label={text('composer.queueLabel')}
          className="mb-1.5 flex max-h-48 flex-col gap-1 overflow-y-auto"
        >
          {queue.map((entry, index) => (
            <QueueChip key={entry.turn.id} entry={entry} index={index} count={queue.length} verbs={verbs} />
          ))}
          {onTheirWay.map(({ id, content }) => (
            <li key={id} className="truncate rounded-md border border-line bg-surface px-3 py-1 text-fg-3">
              {withoutContextLine(content)}
            </li>
          ))}
        </ol>
      )}
    </>
  );
}

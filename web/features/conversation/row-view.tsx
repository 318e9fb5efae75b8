import { Link } from '@tanstack/react-router';
import { memo, useEffect, useReducer } from 'react';
import type { LiveTurn } from '../../../client/live-turn.ts';
import { cutReason } from '../../../contract/cut-answer.ts';
import type { PlanEntry, TurnRetry } from '../../../contract/events.ts';
import type { Message } from '../../../contract/messages.ts';
import type { Turn } from '../../../contract/turns.ts';
import type { TextKey } from '../../i18n/en.ts';
import { serverText, useText } from '../../i18n/text.ts';
import { useAgentName } from '../../live/use-agents.ts';
import { useLive, useLiveConnection } from '../../live/use-live.ts';
import { Caret } from '../../markdown/words.tsx';
import { failureCause } from '../../state/failure-cause.ts';
import { settleDeletions } from '../../state/message-deletions.ts';
import { type ActionCardProps, useSlots } from '../../state/slots.tsx';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { notify } from '../../ui/toast.tsx';
import { AttachedFiles } from './attached-files.tsx';
import { CutLine, DayLine, DelegationPill, SpeakerFacts } from './message-frame.tsx';
import { MessageParts } from './message-parts.tsx';
import { MessageSiblings, MessageToolbar } from './message-toolbar.tsx';
import { useMessageFacts, useMessageVerbs } from './message-verbs.ts';
import { PersonMessage } from './person-message.tsx';
import type { LiveRow, MessageRow, Row } from './rows.ts';
import { liveParts, storedParts } from './shown-parts.ts';
import { Speaker, useIsOutput } from './speaker.tsx';

export const RowView = memo(
  function RowView({ row, sessionId }: { row: Row; sessionId: string }) {
    switch (row.kind) {
      case 'day':
        return <DayLine at={row.at} />;
      case 'action':
        return <Asked action={row.action} isElsewhere={row.action.sessionId !== sessionId} />;
      case 'live':
        return <AgentMessage row={row} sessionId={sessionId} />;
      case 'unfinished':
        return <UnfinishedNote turn={row.turn} />;
      case 'message':
        return said(row, sessionId);
      default:
        return row satisfies never;
    }
  },
  (before, after) => before.sessionId === after.sessionId && isSame(before.row, after.row),
);

function isSame(before: Row, after: Row): boolean {
  if (before === after) return true;
  if (before.kind === 'action' && after.kind === 'action') return before.action === after.action;
  if (before.kind === 'live' && after.kind === 'live') return before.turn === after.turn;
  if (before.kind === 'unfinished' && after.kind === 'unfinished') return before.turn === after.turn;
  return before.key === after.key && before.kind === 'day' && after.kind === 'day';
}

function Asked(props: ActionCardProps) {
  const { ActionCard } = useSlots();
  return <ActionCard {...props} />;
}

/** No component of its own: an answer has to be in the same place of the page as it was while it was being said. */
function said(row: MessageRow, sessionId: string) {
  const { message, isSending } = row;
  if (message.role === 'delegation') return <DelegationBanner message={message} />;
  if (message.role === 'user') return <PersonMessage message={message} sessionId={sessionId} isSending={isSending} />;
  return <AgentMessage row={row} sessionId={sessionId} />;
}

/** That an agent was given something to do, or why it was not. */
function DelegationBanner({ message }: { message: Message }) {
  const text = useText();
  const part = message.parts.find((one) => one.type === 'delegation');
  const name = useAgentName(message.agent);
  const task = part?.task ?? message.text;
  return (
    <DelegationPill
      link={
        part &&
        part.sessionId !== message.sessionId && (
          <Link to="/sessions/$sessionId" params={{ sessionId: part.sessionId }} className="underline">
            {text('conversation.openSession')}
          </Link>
        )
      }
    >
      {part?.reason
        ? text('conversation.delegationRefused', { name, reason: serverText(part.reason, part.reasonText) })
        : text('conversation.delegating', { name, task })}
    </DelegationPill>
  );
}

/** Where an answer should be and is not, or not all of it: what happened, and what to do. */
function UnfinishedNote({ turn }: { turn: Turn }) {
  const text = useText();
  const live = useLiveConnection();
  const { FailureBody } = useSlots();
  const { agentId, sessionId, error } = turn;
  const name = useAgentName(agentId);
  const isStopped = turn.state === 'cancelled' && error === null;
  const retry = () =>
    void settleDeletions(live, sessionId)
      .then(() => live.client.call('retryTurn', { turnId: turn.id }))
      .catch((problem: Error) => notify({ title: problem.message }));
  // What a delegate left undone is tried again by the agent that asked for it.
  const onRetry = turn.parentTurnId === null ? retry : undefined;
  return (
    <div className="pb-4.5 text-xs">
      <div className={isStopped ? 'border-l-2 border-line-strong pl-3' : 'border-l-2 border-danger pl-3'}>
        <p className={isStopped ? 'text-fg-2' : 'text-danger'}>
          {text(`unfinished.${isStopped ? 'stopped' : turn.state === 'failed' ? 'failed' : 'interrupted'}`, { name })}
        </p>
        {error && <p className="mt-0.5 mb-1.5 break-words text-fg-2">{failureCause(error, name)}</p>}
        {error && <FailureBody failure={error} agentId={agentId} sessionId={sessionId} onRetry={onRetry} />}
        {!error && onRetry && (
          <Button className="mt-1.5" onClick={onRetry}>
            {text('error.retry')}
          </Button>
        )}
      </div>
    </div>
  );
}

/**
 * What an agent says, while it does and afterwards. One thing in the page from beginning to end: what was opened stays
 * open, what was selected stays selected, and the keyboard stays where it was.
 */
function AgentMessage({ row, sessionId }: { row: LiveRow | MessageRow; sessionId: string }) {
  const isLive = row.kind === 'live';
  const parts = isLive ? liveParts(row.turn.parts) : storedParts(row.message.parts);
  return (
    <Speaker {...speakerOf(row)} subAgentOf={row.subAgentOf} busy={isLive} facts={isLive ? null : <Facts row={row} />}>
      <MessageParts parts={parts} isOutput={useIsOutput(row, sessionId)} />
      {isLive ? (
        <UnderWay turn={row.turn} />
      ) : (
        <>
          <CutNote message={row.message} sessionId={sessionId} />
          <AttachedFiles parts={row.message.parts} align="start" />
          <MessageSiblings message={row.message} sessionId={sessionId} />
          <MessageToolbar message={row.message} sessionId={sessionId} />
        </>
      )}
    </Speaker>
  );
}

function Facts({ row: { message } }: { row: MessageRow }) {
  const { model, duration, details } = useMessageFacts(message);
  return <SpeakerFacts model={model} at={message.createdAt} duration={duration} details={details} />;
}

function speakerOf(row: LiveRow | MessageRow) {
  if (row.kind === 'live') return { agentId: row.turn.agentId, guest: row.turn.guest };
  const { agent, guest, createdAt, status } = row.message;
  return { agentId: agent, guest, at: createdAt, interrupted: status === 'interrupted' };
}

/** Under an answer that ends early although its turn is complete: why, and a way to get another answer. */
function CutNote({ message, sessionId }: { message: Message; sessionId: string }) {
  const text = useText();
  const { again } = useMessageVerbs(message, sessionId);
  const turn = useLive(({ states }) => states.get(sessionId)?.turns.get(message.turnId ?? ''));
  const reason = turn?.answerId === message.id ? cutReason(turn) : null;
  if (!turn || reason === null) return null;
  return (
    <CutLine reason={reason}>
      {again && turn.parentTurnId === null && <Button onClick={again}>{text('message.again')}</Button>}
    </CutLine>
  );
}

/** What stands under an answer that is being said. The caret is at the end of its words. */
function UnderWay({ turn: { parts, retry, progress } }: { turn: LiveTurn }) {
  const text = useText();
  const seconds = useSecondsLeft(retry);
  const isSilent = parts.length === 0;
  const status = progress?.status ?? (isSilent ? text('conversation.thinking') : null);
  return (
    <>
      {progress && progress.plan.length > 0 && <Plan entries={progress.plan} />}
      {retry && seconds > 0 ? (
        <p className="text-fg-3">{text(retryText(retry), { seconds })}</p>
      ) : (
        status !== null && (
          <p className="text-fg-3">
            {status}
            {isSilent && <Caret />}
          </p>
        )
      )}
    </>
  );
}

const MARKS = { pending: '○', running: '◐', complete: '●' } as const satisfies Record<PlanEntry['state'], string>;

/** What the agent intends to do, and how far it has come. */
function Plan({ entries }: { entries: readonly PlanEntry[] }) {
  const text = useText();
  return (
    <ol aria-label={text('plan.title')} className="flex flex-col gap-1 text-sm text-fg-2">
      {entries.map(({ text: words, state }, place) => (
        // A plan is replaced as a whole, and its entries have no names.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <li key={place} className={cx('flex gap-2', state === 'complete' && 'text-fg-3')}>
          <span aria-label={text(`plan.${state}`)} role="img">
            {MARKS[state]}
          </span>
          <span className="min-w-0 break-words">{words}</span>
        </li>
      ))}
    </ol>
  );
}

const RETRIES: Readonly<Record<string, TextKey>> = {
  model_rate_limited: 'conversation.retry.rateLimited',
  model_overloaded: 'conversation.retry.overloaded',
  model_unreachable: 'conversation.retry.unreachable',
};

function retryText({ code }: TurnRetry): TextKey {
  return RETRIES[code] ?? 'conversation.retry.other';
}

/** When each retry was announced: the clock of the server may differ from the one here. */
const announced = new WeakMap<TurnRetry, number>();

/** Whole seconds until the request is sent again; drawn anew every second until then. */
function useSecondsLeft(retry: TurnRetry | null): number {
  const [, tick] = useReducer((count: number) => count + 1, 0);
  if (retry && !announced.has(retry)) announced.set(retry, Date.now());
  const left = retry ? announced.get(retry)! + retry.waitMs - Date.now() : 0;
  const isWaiting = left > 0;
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setInterval(tick, 1000);
    return () => clearInterval(timer);
  }, [isWaiting]);
  return Math.max(0, Math.ceil(left / 1000));
}

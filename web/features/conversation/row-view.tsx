import { memo } from 'react';
import { type ActionCardProps, useSlots } from '../../state/slots.tsx';
import { AgentMessage } from './agent-message.tsx';
import { DelegationBanner } from './delegation-banner.tsx';
import { DayLine } from './message-frame.tsx';
import { PersonMessage } from './person-message.tsx';
import type { MessageRow, Row } from './rows.ts';
import { UnfinishedNote } from './unfinished-note.tsx';

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

import { AttachedFiles } from './attached-files.tsx';
import { CutNote } from './cut-note.tsx';
import { useMessageFacts } from './message-facts.ts';
import { SpeakerFacts } from './message-frame.tsx';
import { MessageParts } from './message-parts.tsx';
import { MessageSiblings } from './message-siblings.tsx';
import { MessageToolbar } from './message-toolbar.tsx';
import type { LiveRow, MessageRow } from './rows.ts';
import { liveParts, storedParts } from './shown-parts.ts';
import { Speaker } from './speaker.tsx';
import { UnderWay } from './under-way.tsx';
import { useIsOutput } from './use-is-output.ts';

/**
 * What an agent says, while it does and afterwards. One thing in the page from beginning to end: what was opened stays
 * open, what was selected stays selected, and the keyboard stays where it was.
 */
export function AgentMessage({ row, sessionId }: { row: LiveRow | MessageRow; sessionId: string }) {
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

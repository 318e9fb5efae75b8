import type { Turn } from '../../../contract/turns.ts';
import { useText } from '../../i18n/text.ts';
import { useAgentName } from '../../live/use-agents.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { failureCause } from '../../state/failure-cause.ts';
import { settleDeletions } from '../../state/message-deletions.ts';
import { useSlots } from '../../state/slots.tsx';
import { Button } from '../../ui/button.tsx';
import { notify } from '../../ui/toast.tsx';

/** Where an answer should be and is not, or not all of it: what happened, and what to do. */
export function UnfinishedNote({ turn }: { turn: Turn }) {
  const text = useText();
  const live = useLiveConnection();
  const { FailureBody } = useSlots();
  const { agentId, sessionId, error } = turn;
  const name = useAgentName(agentId);
  const isStopped = turn.state === 'cancelled' && error === null;
  const retry = () =>
    void settleDeletions(live, sessionId)
      .then(() => live.client.retryTurn(turn.id))
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

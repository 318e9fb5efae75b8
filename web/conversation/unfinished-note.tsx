import type { Turn } from '../../contract/turns.ts';
import { FailureAdvice } from '../actions/failure-advice.tsx';
import { useText } from '../i18n/text.ts';
import { useAgent } from '../live/use-agents.ts';
import { useLiveConnection } from '../live/use-live.ts';
import { Button } from '../ui/button.tsx';
import { notify } from '../ui/toast.tsx';

/** Where an answer should be and is not, or not all of it: what happened, and what to do. */
export function UnfinishedNote({ turn, isLast }: { turn: Turn; isLast: boolean }) {
  const text = useText();
  const { client } = useLiveConnection();
  const name = useAgent(turn.agentId)?.displayName ?? turn.agentId;
  const isStopped = turn.state === 'cancelled';
  const canTryAgain = isLast && turn.parentTurnId === null;
  const again = () => void client.retryTurn(turn.id).catch((error: Error) => notify({ title: error.message }));
  return (
    <div className="pb-4 text-xs">
      <div className={isStopped ? 'border-l-2 border-line-strong pl-3' : 'border-l-2 border-danger pl-3'}>
        <p className={isStopped ? 'text-fg-2' : 'text-danger'}>
          {text(`unfinished.${isStopped ? 'stopped' : turn.state === 'failed' ? 'failed' : 'interrupted'}`, { name })}
        </p>
        {turn.error && <p className="mt-0.5 break-words text-fg-2">{turn.error.message}</p>}
        {turn.error && <FailureAdvice code={turn.error.code} agentId={turn.agentId} name={name} />}
        {canTryAgain && (
          <Button className="mt-1.5" onClick={again}>
            {text('error.retry')}
          </Button>
        )}
      </div>
    </div>
  );
}

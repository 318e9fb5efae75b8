import type { Action } from '../../contract/actions.ts';
import { useText } from '../i18n/text.ts';
import { useAgent } from '../live/use-agents.ts';
import { Button } from '../ui/button.tsx';
import type { Answer } from './action-card.tsx';
import { FailureAdvice } from './failure-advice.tsx';

export function LimitForm({ answer }: { answer: Answer }) {
  const text = useText();
  return (
    <div className="flex gap-2">
      <Button look="primary" onClick={() => answer({ decision: 'continue' })}>
        {text('actions.continue')}
      </Button>
      <Button onClick={() => answer({ decision: 'stop' })}>{text('actions.stop')}</Button>
    </div>
  );
}

export function FailureForm({ action, answer }: { action: Action; answer: Answer }) {
  const text = useText();
  const { agentId } = action;
  const { code } = action.failure!;
  const name = useAgent(agentId)?.displayName ?? agentId;
  return (
    <>
      <div className="mb-2 text-xs">
        <FailureAdvice code={code} agentId={agentId} name={name} />
        <p className="mt-0.5 text-fg-3">{code}</p>
      </div>
      <div className="flex gap-2">
        <Button look="primary" onClick={() => answer({ decision: 'retry' })}>
          {text('error.retry')}
        </Button>
        <Button onClick={() => answer({ decision: 'dismiss' })}>{text('actions.dismiss')}</Button>
      </div>
    </>
  );
}

import type { Action } from '../../../contract/actions.ts';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import type { Answer } from './answer.ts';
import { FailureBody } from './failure-body.tsx';

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
  return (
    <FailureBody
      failure={action.failure!}
      agentId={action.agentId}
      sessionId={action.sessionId}
      onRetry={() => answer({ decision: 'retry' })}
      onDismiss={() => answer({ decision: 'dismiss' })}
    />
  );
}

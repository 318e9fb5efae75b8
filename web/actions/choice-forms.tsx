import { useText } from '../i18n/text.ts';
import { Button } from '../ui/button.tsx';
import type { Answer } from './action-card.tsx';

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

export function FailureForm({ failure, answer }: { failure: { code: string; message: string }; answer: Answer }) {
  const text = useText();
  return (
    <>
      <p className="mb-2 text-xs text-fg-3">{failure.code}</p>
      <div className="flex gap-2">
        <Button look="primary" onClick={() => answer({ decision: 'retry' })}>
          {text('error.retry')}
        </Button>
        <Button onClick={() => answer({ decision: 'dismiss' })}>{text('actions.dismiss')}</Button>
      </div>
    </>
  );
}

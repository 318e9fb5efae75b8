import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { markUnseenCharacters } from '../../../contract/unseen-characters.ts';
import { failureText, useText } from '../../i18n/text.ts';
import { useAgentName } from '../../live/use-agents.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { type Failure, failureRemedy } from '../../state/failure-cause.ts';
import { finishDeletions } from '../../state/message-deletions.ts';
import type { FailureBodyProps } from '../../state/slots.tsx';
import { Button, buttonClass } from '../../ui/button.tsx';
import { notify } from '../../ui/toast.tsx';

/** What to do about a failure, the fitting action first; what the provider said, folded. */
export function FailureBody({ failure, agentId, sessionId, onRetry, onDismiss }: FailureBodyProps) {
  const text = useText();
  const remedy = failureRemedy(failure.code);
  const isRetryFirst = remedy === 'wait' || remedy === 'retry';
  return (
    <>
      <div className="flex flex-wrap gap-2">
        {remedy === 'setup' && <OpenAgent agentId={agentId} />}
        {remedy === 'compact' && <Compact sessionId={sessionId} onDone={onRetry} />}
        {onRetry && remedy !== 'gone' && (
          <Button look={isRetryFirst ? 'primary' : 'outline'} onClick={onRetry}>
            {text('error.retry')}
          </Button>
        )}
        {onDismiss && <Button onClick={onDismiss}>{text('actions.dismiss')}</Button>}
      </div>
      <Details failure={failure} />
    </>
  );
}

function OpenAgent({ agentId }: { agentId: string }) {
  const text = useText();
  const name = useAgentName(agentId);
  return (
    <Link to="/agents/$" params={{ _splat: agentId }} className={buttonClass('primary')}>
      {text('failure.openAgent', { name })}
    </Link>
  );
}

/** Summarises the conversation, then tries again. */
function Compact({ sessionId, onDone }: { sessionId: string; onDone: (() => void) | undefined }) {
  const text = useText();
  const live = useLiveConnection();
  const [busy, setBusy] = useState(false);
  const compact = () => {
    setBusy(true);
    finishDeletions(live, sessionId)
      .then(() => live.client.call('compactSession', { sessionId }))
      .then(() => onDone?.())
      .catch((error: Error) => notify({ title: error.message }))
      .finally(() => setBusy(false));
  };
  return (
    <Button look="primary" disabled={busy} onClick={compact}>
      {text('failure.compact')}
    </Button>
  );
}

function Details({ failure }: { failure: Failure }) {
  const { code } = failure;
  const message = failureText(failure);
  const text = useText();
  return (
    <details className="mt-2 text-xs text-fg-3">
      <summary className="inline-flex min-h-6 cursor-pointer items-center touch:min-h-11 touch:min-w-11">
        {text('failure.details')}
      </summary>
      <p className="mt-1 break-words whitespace-pre-wrap text-fg-2">{markUnseenCharacters(message, 'prose')}</p>
      <code className="font-mono">{code}</code>
    </details>
  );
}

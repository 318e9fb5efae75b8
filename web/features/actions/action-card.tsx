import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import type { Action } from '../../../contract/actions.ts';
import { sessionTitle, useText } from '../../i18n/text.ts';
import { useAgentName, useAgentNames } from '../../live/use-agents.ts';
import { useLiveConnection, useSession } from '../../live/use-live.ts';
import { useActionTitle } from '../../state/action-title.ts';
import type { ActionCardProps } from '../../state/slots.tsx';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { shownBox } from '../../ui/keyboard-focus.ts';
import { notify } from '../../ui/toast.tsx';
import { isTouch } from '../../ui/use-media.ts';
import { ApprovalForm } from './approval-form.tsx';
import { FailureBody } from './failure-body.tsx';
import { type Answer, QuestionForm } from './question-form.tsx';

/** Something that waits for the person. Its buttons are ours; what the model wrote is only shown. */
export function ActionCard({ action, isElsewhere = false, level = 2 }: ActionCardProps) {
  const Heading = `h${level}` as const;
  const text = useText();
  const title = useActionTitle(action);
  const name = useAgentName(action.agentId);
  const { answer, busy } = useAnswer(action);
  return (
    // biome-ignore lint/a11y/useSemanticElements: the form inside is the fieldset
    <div
      role="group"
      data-action-card=""
      aria-label={title}
      className={cx(
        'my-2 rounded-lg border bg-raised p-3 in-[.sub-agent]:border-x-0 in-[.sub-agent]:border-b-0 in-[.sub-agent]:rounded-none in-[.sub-agent]:bg-transparent in-[.sub-agent]:px-0',
        action.kind === 'failure' ? 'border-danger/60' : 'border-[var(--st-waiting)]/50',
      )}
    >
      <Heading className="font-semibold break-words">
        {action.kind === 'question' ? text('actions.asks', { name }) : title}
      </Heading>
      <Origin action={action} isElsewhere={isElsewhere} />
      <fieldset disabled={busy} className="mt-2 min-w-0">
        <Form action={action} answer={answer} />
      </fieldset>
    </div>
  );
}

/** On whose behalf it is asked, and where. */
function Origin({ action: { chain, sessionId }, isElsewhere }: Required<Omit<ActionCardProps, 'level'>>) {
  const text = useText();
  const nameOf = useAgentNames();
  const session = useSession(sessionId);
  if (chain.length < 2) return null;
  const names = chain.slice(0, -1).map(({ agentId }) => nameOf(agentId));
  return (
    <p className="text-xs text-fg-3">
      {text('actions.chain', { chain: names.join(' → ') })}
      {isElsewhere && (
        <>
          {' · '}
          <Link to="/sessions/$sessionId" params={{ sessionId }} className="text-link underline underline-offset-2">
            {session ? sessionTitle(session.title) : text('conversation.openSession')}
          </Link>
        </>
      )}
    </p>
  );
}

function Form({ action, answer }: { action: Action; answer: Answer }) {
  switch (action.kind) {
    case 'approval':
      return <ApprovalForm approval={action.approval!} agentId={action.agentId} answer={answer} />;
    case 'question':
      return <QuestionForm question={action.question!} answer={answer} />;
    case 'limit':
      return <LimitForm answer={answer} />;
    case 'failure':
      return <FailureForm action={action} answer={answer} />;
    default:
      return action.kind satisfies never;
  }
}

function useAnswer(action: Action): { answer: Answer; busy: boolean } {
  const { client } = useLiveConnection();
  const [busy, setBusy] = useState(false);
  const isAnswered = useRef(false);
  const hadFocus = useRef(false);
  useEffect(() => () => void (isAnswered.current && goOn(hadFocus.current)), []);
  const answer: Answer = (wanted) => {
    isAnswered.current = true;
    hadFocus.current = document.activeElement?.closest('[data-action-card]') != null;
    setBusy(true);
    client.call('answerAction', { actionId: action.id, body: wanted }).catch((error: Error) => {
      isAnswered.current = false;
      setBusy(false);
      notify({ title: error.message });
    });
  };
  return { answer, busy };
}

/** The card goes with what was asked, and the keyboard would be nowhere: it comes to where the person goes on. */
function goOn(hadFocus: boolean): void {
  requestAnimationFrame(() => {
    // Where the buttons went away before the card did, the conversation has taken their focus.
    const isFree = document.activeElement?.matches(hadFocus ? 'body, [role="log"], #main' : 'body');
    if (!isFree || isTouch()) return;
    (shownBox() ?? document.getElementById('main'))?.focus({ preventScroll: true });
  });
}

function LimitForm({ answer }: { answer: Answer }) {
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

function FailureForm({ action, answer }: { action: Action; answer: Answer }) {
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

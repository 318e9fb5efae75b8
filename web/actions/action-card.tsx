import { useEffect, useRef, useState } from 'react';
import type { Action, AnswerAction } from '../../contract/actions.ts';
import { shownBox } from '../composer/shown-box.ts';
import { isTouch } from '../composer/use-writing.ts';
import { useText } from '../i18n/text.ts';
import { useLiveConnection } from '../live/use-live.ts';
import { notify } from '../ui/toast.tsx';
import { useActionTitle } from './action-title.ts';
import { ApprovalForm } from './approval-form.tsx';
import { FailureForm, LimitForm } from './choice-forms.tsx';
import { QuestionForm } from './question-form.tsx';

export type Answer = (answer: AnswerAction) => void;

/** Something that waits for the person. Its buttons are ours; what the model wrote is only shown. */
export function ActionCard({ action }: { action: Action }) {
  const text = useText();
  const title = useActionTitle(action);
  const { answer, busy } = useAnswer(action);
  const chain = action.chain.map(({ agentId }) => agentId).join(' → ');
  return (
    <section aria-label={title} className="my-2 rounded-lg border border-[var(--st-waiting)]/50 bg-raised p-3">
      <h3 className="font-semibold">{title}</h3>
      {action.chain.length > 1 && <p className="text-xs text-fg-3">{text('actions.chain', { chain })}</p>}
      <fieldset disabled={busy} className="mt-2">
        <Form action={action} answer={answer} />
      </fieldset>
    </section>
  );
}

function Form({ action, answer }: { action: Action; answer: Answer }) {
  switch (action.kind) {
    case 'approval':
      return <ApprovalForm approval={action.approval!} answer={answer} />;
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
  useEffect(() => () => void (isAnswered.current && goOn()), []);
  const answer: Answer = (wanted) => {
    isAnswered.current = true;
    setBusy(true);
    client.answerAction(action.id, wanted).catch((error: Error) => {
      isAnswered.current = false;
      setBusy(false);
      notify({ title: error.message });
    });
  };
  return { answer, busy };
}

/** The card goes with what was asked, and the keyboard would be nowhere: it comes to where the person goes on. */
function goOn(): void {
  requestAnimationFrame(() => {
    if (document.activeElement !== document.body || isTouch()) return;
    (shownBox() ?? document.getElementById('main'))?.focus({ preventScroll: true });
  });
}

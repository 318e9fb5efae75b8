import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useText } from '../../i18n/webhook-words.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { FIELD_LINE, Field } from '../../ui/field.tsx';
import type { ShownSecret } from './secret-dialog.tsx';
import { problemText } from './use-webhooks.ts';

const FORM_ID = 'webhook-form';

interface Props {
  title: string;
  isComplete: boolean;
  /** Gives the secret of a new webhook. */
  save(): Promise<ShownSecret | null>;
  onClose(secret: ShownSecret | null): void;
  children: ReactNode;
}

/** What the dialogs of both directions have in common: a form that stays open and says what is wrong. */
export function WebhookDialog({ title, isComplete, save, onClose, children }: Props) {
  const text = useText();
  const queries = useQueryClient();
  const [problem, setProblem] = useState<string | null>(null);
  const submit = async () => {
    setProblem(null);
    try {
      const secret = await save();
      await queries.invalidateQueries({ queryKey: ['webhooks'] });
      onClose(secret);
    } catch (error) {
      setProblem(problemText(error as Error));
    }
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (isComplete) void submit();
  };
  return (
    <Dialog
      open
      wide
      onClose={() => onClose(null)}
      title={title}
      footer={
        <>
          <Button onClick={() => onClose(null)}>{text('action.cancel')}</Button>
          <Button look="primary" type="submit" form={FORM_ID} disabled={!isComplete}>
            {text('agents.save')}
          </Button>
        </>
      }
    >
      <form id={FORM_ID} onSubmit={onSubmit} className="flex flex-col gap-3">
        {children}
        <p role="alert" className="text-danger empty:hidden">
          {problem}
        </p>
      </form>
    </Dialog>
  );
}

export function NameField({ value, hint, onChange }: { value: string; hint?: string; onChange(name: string): void }) {
  const text = useText();
  return (
    <Field label={text('webhooks.name')} hint={hint}>
      {(control) => (
        <input
          {...control}
          required
          maxLength={200}
          value={value}
          onChange={({ target }) => onChange(target.value)}
          className={FIELD_LINE}
        />
      )}
    </Field>
  );
}

import type { FormEvent } from 'react';
import { type Draft, isComplete } from './draft.ts';
import { TemplateFields } from './template-fields.tsx';
import { templateProblem } from './template-problem.ts';
import { FORM_ID } from './view.ts';

interface Props {
  draft: Draft;
  /** Why it could not be saved. */
  problem: Error | null;
  onChange(change: Partial<Draft>): void;
  onSubmit(): void;
}

export function TemplateForm({ draft, problem, onChange, onSubmit }: Props) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isComplete(draft)) onSubmit();
  };
  return (
    <form id={FORM_ID} onSubmit={submit} className="flex flex-col gap-3">
      <TemplateFields draft={draft} onChange={onChange} />
      <p role="alert" className="text-danger empty:hidden">
        {problem && templateProblem(problem)}
      </p>
    </form>
  );
}

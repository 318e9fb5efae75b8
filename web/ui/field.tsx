import { type ReactNode, useId } from 'react';
import { cx } from './cx.ts';

/** The look of a box to write in; `FIELD_LINE` for one line. */
export const FIELD_BOX = 'w-full rounded-md border border-line-strong bg-surface px-2';
export const FIELD_LINE = `${FIELD_BOX} h-8`;

/** What ties a control to its label and to the words below it. */
export interface FieldControl {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': boolean | undefined;
}

interface FieldProps {
  label: string;
  hint?: string | undefined;
  problem?: string | undefined;
  children(control: FieldControl): ReactNode;
}

export function Field({ label, hint, problem, children }: FieldProps) {
  const id = useId();
  const more = problem ?? hint;
  const control = {
    id,
    'aria-describedby': more ? `${id}-more` : undefined,
    'aria-invalid': problem ? true : undefined,
  };
  return (
    <div className="min-w-0">
      <label htmlFor={id} className="mb-1 block text-fg-2">
        {label}
      </label>
      {children(control)}
      {more && (
        <p id={`${id}-more`} className={cx('mt-1 text-xs', problem ? 'text-danger' : 'text-fg-3')}>
          {more}
        </p>
      )}
    </div>
  );
}

interface CheckProps {
  isOn: boolean;
  isOff?: boolean;
  onCheck(isOn: boolean): void;
  children: ReactNode;
}

export function Check({ isOn, isOff = false, onCheck, children }: CheckProps) {
  return (
    <label className={cx('flex min-h-6 items-center gap-2', isOff && 'text-fg-3')}>
      <input
        type="checkbox"
        checked={isOn}
        disabled={isOff}
        onChange={({ target }) => onCheck(target.checked)}
        className="size-4 flex-none accent-(--accent)"
      />
      {children}
    </label>
  );
}

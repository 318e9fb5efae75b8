import type { ButtonHTMLAttributes, ComponentProps } from 'react';
import { cx } from './cx.ts';

type Look = 'plain' | 'outline' | 'primary' | 'danger';

const LOOKS: Record<Look, string> = {
  plain: 'text-fg-2 hover:bg-hover hover:text-fg',
  outline: 'border border-line bg-surface text-fg hover:bg-hover',
  primary:
    'bg-accent text-on-accent font-semibold hover:brightness-110 disabled:bg-hover disabled:font-normal disabled:text-fg-3 disabled:opacity-100',
  danger: 'text-danger hover:bg-hover',
};

interface Props extends ComponentProps<'button'> {
  look?: Look;
}

const BASE =
  'inline-flex h-7 items-center touch:min-h-11 justify-center gap-1.5 rounded-md px-2.5 text-sm whitespace-nowrap transition-colors duration-90 disabled:opacity-50 disabled:pointer-events-none';

/** The look of a button, for links that stand among buttons. */
export function buttonClass(look: Look): string {
  return cx(BASE, LOOKS[look]);
}

export function Button({ look = 'outline', className, type = 'button', ...rest }: Props) {
  return <button type={type} className={cx(buttonClass(look), className)} {...rest} />;
}

interface IconProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** What it does, for those who do not see the picture. */
  label: string;
}

/** An icon that does something: 28 pixels square, 44 by touch, with an accessible name. */
export function IconButton({ label, className, type = 'button', ...rest }: IconProps) {
  const base =
    'inline-grid size-7 flex-none place-items-center touch:min-h-11 touch:min-w-11 rounded-md text-fg-2 transition-colors duration-90 hover:bg-hover hover:text-fg disabled:opacity-50';
  return <button type={type} aria-label={label} title={label} className={cx(base, className)} {...rest} />;
}

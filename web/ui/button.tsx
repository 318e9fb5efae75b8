import type { ButtonHTMLAttributes, ComponentProps } from 'react';
import { cx } from './cx.ts';

type Look = 'plain' | 'outline' | 'primary' | 'danger';

const LOOKS: Record<Look, string> = {
  plain: 'text-fg-2 hover:bg-hover hover:text-fg',
  outline: 'border border-line bg-surface text-fg hover:bg-hover',
  primary: 'bg-accent text-on-accent font-semibold hover:brightness-110',
  danger: 'text-danger hover:bg-hover',
};

interface Props extends ComponentProps<'button'> {
  look?: Look;
}

export function Button({ look = 'outline', className, type = 'button', ...rest }: Props) {
  const base =
    'inline-flex h-7 items-center justify-center gap-1.5 rounded-md px-2.5 text-sm whitespace-nowrap transition-colors duration-90 disabled:opacity-50 disabled:pointer-events-none';
  return <button type={type} className={cx(base, LOOKS[look], className)} {...rest} />;
}

interface IconProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** What it does, for those who do not see the picture. */
  label: string;
}

/** A picture that does something: 28 pixels square, named for everyone. */
export function IconButton({ label, className, type = 'button', ...rest }: IconProps) {
  const base =
    'inline-grid size-7 place-items-center rounded-md text-fg-2 transition-colors duration-90 hover:bg-hover hover:text-fg disabled:opacity-50';
  return <button type={type} aria-label={label} title={label} className={cx(base, className)} {...rest} />;
}

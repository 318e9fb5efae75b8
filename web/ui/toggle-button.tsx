import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { cx } from './cx.ts';

interface Props {
  isOn: boolean;
  onPress(): void;
  label?: string;
  children: ReactNode;
}

/** One of several ways to see the same thing. */
export function ToggleButton({ isOn, onPress, label, children }: Props) {
  return (
    <Button
      look="plain"
      aria-pressed={isOn}
      aria-label={label}
      title={label}
      onClick={onPress}
      className={cx(isOn && 'bg-hover text-fg')}
    >
      {children}
    </Button>
  );
}

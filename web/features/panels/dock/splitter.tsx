import type { KeyboardEvent, PointerEvent, RefObject } from 'react';
import { SHARES } from '../../../state/panel-layout.ts';
import { cx } from '../../../ui/cx.ts';

interface Props {
  label: string;
  /** Of what it divides: beside each other, or one above the other. */
  direction: 'row' | 'column';
  /** What the first of both has. */
  share: number;
  /** Both together; by default the neighbours of the splitter. */
  within?: RefObject<HTMLElement | null>;
  onShare(share: number): void;
}

const STEP = 0.02;
const BIG_STEP = 0.1;

/** Moved by dragging, or with the arrow keys; a double click makes both the same size. */
export function Splitter({ label, direction, share, within, onShare }: Props) {
  const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId);
  };
  const onPointerMove = (event: PointerEvent<HTMLDivElement>) => {
    const { currentTarget } = event;
    if (!currentTarget.hasPointerCapture(event.pointerId)) return;
    const [from, to] = edges(currentTarget, direction, within?.current ?? null);
    onShare(((direction === 'row' ? event.clientX : event.clientY) - from) / (to - from));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const to = moved(event, direction, share);
    if (to === null) return;
    event.preventDefault();
    onShare(to);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: an hr cannot be moved
    <div
      role="separator"
      tabIndex={0}
      aria-label={label}
      aria-orientation={direction === 'row' ? 'vertical' : 'horizontal'}
      aria-valuenow={Math.round(share * 100)}
      aria-valuemin={SHARES.least * 100}
      aria-valuemax={SHARES.most * 100}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onDoubleClick={() => onShare(0.5)}
      onKeyDown={onKeyDown}
      className={cx(
        'relative flex-none touch-none bg-line transition-colors duration-90 hover:bg-accent focus-visible:bg-accent',
        // The line is thin, what can be taken hold of is not.
        'after:absolute after:content-[""]',
        direction === 'row'
          ? 'w-px cursor-col-resize after:inset-y-0 after:-inset-x-1.5 after:z-10 touch:after:-inset-x-3'
          : 'h-px cursor-row-resize after:inset-x-0 after:-inset-y-1.5 after:z-10 touch:after:-inset-y-3',
      )}
    />
  );
}

function edges(splitter: HTMLElement, direction: Props['direction'], within: HTMLElement | null): [number, number] {
  const [first, last] = within ? [within, within] : [splitter.previousElementSibling!, splitter.nextElementSibling!];
  const [one, other] = [first.getBoundingClientRect(), last.getBoundingClientRect()];
  return direction === 'row' ? [one.left, other.right] : [one.top, other.bottom];
}

function moved({ key, shiftKey }: KeyboardEvent, direction: Props['direction'], share: number): number | null {
  const step = shiftKey ? BIG_STEP : STEP;
  const [less, more] = direction === 'row' ? ['ArrowLeft', 'ArrowRight'] : ['ArrowUp', 'ArrowDown'];
  switch (key) {
    case less:
      return share - step;
    case more:
      return share + step;
    case 'Home':
      return SHARES.least;
    case 'End':
      return SHARES.most;
    case 'Enter':
      return 0.5;
    default:
      return null;
  }
}

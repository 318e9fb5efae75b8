import type { WhenBusy } from '../../../contract/turns.ts';

export interface Key {
  readonly key: string;
  readonly shiftKey: boolean;
  readonly altKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  /** A word is being put together by an input method: Enter belongs to it. */
  readonly isComposing: boolean;
  readonly keyCode: number;
}

export interface Situation {
  readonly isOffered: boolean;
  readonly isDictating: boolean;
  /** The keyboard is on the screen, where Enter is the only way to a new line. */
  readonly isTouch: boolean;
}

export type ComposerAction =
  | { readonly do: 'send'; readonly busy: WhenBusy }
  | { readonly do: 'move'; readonly step: number }
  | { readonly do: 'take' | 'complete' | 'close' | 'finish' | 'cancel' | 'leave' };

/** What a key does in the box; null leaves it to the box. */
export function composerActionOf(key: Key, { isOffered, isDictating, isTouch }: Situation): ComposerAction | null {
  if (key.isComposing || key.keyCode === 229) return null;
  if (isDictating) return dictationAction(key);
  if (isOffered) {
    const action = listAction(key);
    if (action) return action;
  }
  if (key.key === 'Escape') return { do: 'leave' };
  if (key.key !== 'Enter' || key.shiftKey) return null;
  if (key.ctrlKey || key.metaKey) return { do: 'send', busy: 'interrupt' };
  if (key.altKey) return { do: 'send', busy: 'steer' };
  return isTouch ? null : { do: 'send', busy: 'queue' };
}

function dictationAction({ key }: Key): ComposerAction | null {
  if (key === 'Escape') return { do: 'cancel' };
  return key === 'Enter' ? { do: 'finish' } : null;
}

function listAction({ key, shiftKey, altKey, ctrlKey, metaKey }: Key): ComposerAction | null {
  if (altKey || ctrlKey || metaKey) return null;
  switch (key) {
    case 'ArrowDown':
      return { do: 'move', step: 1 };
    case 'ArrowUp':
      return { do: 'move', step: -1 };
    case 'Enter':
      return shiftKey ? null : { do: 'take' };
    case 'Tab':
      return shiftKey ? null : { do: 'complete' };
    case 'Escape':
      return { do: 'close' };
    default:
      return null;
  }
}

export type GridAction =
  | { readonly do: 'go'; readonly by: number; readonly isEdge: boolean; readonly isExtending: boolean }
  | { readonly do: 'move'; readonly by: 1 | -1 }
  | { readonly do: 'toggle' | 'all' | 'clear' | 'edit' | 'details' | 'done' | 'remove' | 'menu' };

type Key = Pick<KeyboardEvent, 'key' | 'altKey' | 'ctrlKey' | 'metaKey' | 'shiftKey'>;

const PAGE = 10;

const STEPS: Readonly<Record<string, { by: number; isEdge: boolean }>> = {
  ArrowDown: { by: 1, isEdge: false },
  ArrowUp: { by: -1, isEdge: false },
  PageDown: { by: PAGE, isEdge: false },
  PageUp: { by: -PAGE, isEdge: false },
  End: { by: 1, isEdge: true },
  Home: { by: -1, isEdge: true },
};

/** What a key means while a row has the keyboard; null: it is not for the list. */
export function gridActionOf(
  { key, altKey, ctrlKey, metaKey, shiftKey }: Key,
  hasSelection: boolean,
): GridAction | null {
  const step = STEPS[key];
  const isMod = ctrlKey || metaKey;
  if (altKey && (key === 'ArrowDown' || key === 'ArrowUp')) return { do: 'move', by: key === 'ArrowDown' ? 1 : -1 };
  if (altKey && key === 'Enter') return { do: 'details' };
  if (altKey) return null;
  if (step && !isMod) return { do: 'go', ...step, isExtending: shiftKey };
  if (isMod) return key.toLowerCase() === 'a' ? { do: 'all' } : null;
  switch (key) {
    case ' ':
      return { do: 'toggle' };
    case 'Enter':
    case 'F2':
      return { do: 'edit' };
    case 'd':
    case 'D':
      return { do: 'done' };
    case 'Delete':
    case 'Backspace':
      return { do: 'remove' };
    case 'Escape':
      return hasSelection ? { do: 'clear' } : null;
    case 'ContextMenu':
      return { do: 'menu' };
    case 'F10':
      return shiftKey ? { do: 'menu' } : null;
    default:
      return null;
  }
}

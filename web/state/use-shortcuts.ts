import { useEffect } from 'react';
import { type Command, KeyReader } from './shortcuts.ts';

/** Listens for the whole page. */
export function useShortcuts(run: (command: Command) => void): void {
  useEffect(() => {
    const reader = new KeyReader();
    const listen = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing || event.altKey) return;
      const { key } = event;
      const mod = event.ctrlKey || event.metaKey;
      const command = reader.read({ key, mod, isWriting: isWriting(event.target) }, Date.now());
      if (!command) return;
      event.preventDefault();
      run(command);
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, [run]);
}

/** In a field, a menu or an editor, keys belong to it. */
export function isWriting(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target.closest('input, textarea, select, [role="menu"], [role="listbox"], [role="dialog"], json-editor') !== null)
  );
}

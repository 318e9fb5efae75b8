/** What was typed while the script of the palette was loading. */
let typed = '';

/** Gives back whether the key is part of a text. */
export function typeAhead({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey) return false;
  if (key === 'Backspace') typed = typed.slice(0, -1);
  else if (key.length === 1) typed += key;
  else return false;
  return true;
}

export function takeTyped(): string {
  const taken = typed;
  typed = '';
  return taken;
}

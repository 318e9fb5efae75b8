import { useState } from 'react';

const SHOWN_MS = 1500;

/** Copies text and says for a moment that it has. */
export function useCopy(): { copied: boolean; copy(text: string): void } {
  const [copied, setCopied] = useState(false);
  const copy = (text: string) => {
    void copyText(text).then((isCopied) => {
      if (!isCopied) return;
      setCopied(true);
      setTimeout(() => setCopied(false), SHOWN_MS);
    });
  };
  return { copied, copy };
}

/** Whether it is in the clipboard now. A page that is not secure has none of its own, but may still copy what is selected. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelected(text);
  }
}

/** Leaves the keyboard where it is: the button that was pressed keeps the focus. */
function copySelected(text: string): boolean {
  const words = document.createElement('span');
  words.textContent = text;
  Object.assign(words.style, { position: 'fixed', top: '0', opacity: '0', whiteSpace: 'pre', userSelect: 'text' });
  document.body.append(words);
  const selection = getSelection();
  selection?.selectAllChildren(words);
  const isCopied = document.execCommand('copy');
  selection?.removeAllRanges();
  words.remove();
  return isCopied;
}

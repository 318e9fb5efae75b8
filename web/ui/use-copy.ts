import { useState } from 'react';
import { copyText } from './copy-text.ts';

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

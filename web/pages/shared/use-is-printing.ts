import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { shownTheme } from '../../state/theme.ts';

/** Paper is light, and holds everything: both have to be so before the browser looks. */
export function useIsPrinting(): boolean {
  const [isPrinting, setPrinting] = useState(false);
  useEffect(() => {
    const change = (printing: boolean) => () => {
      document.documentElement.dataset.theme = printing ? 'light' : shownTheme();
      flushSync(() => setPrinting(printing));
    };
    const [begin, end] = [change(true), change(false)];
    addEventListener('beforeprint', begin);
    addEventListener('afterprint', end);
    return () => {
      removeEventListener('beforeprint', begin);
      removeEventListener('afterprint', end);
    };
  }, []);
  return isPrinting;
}

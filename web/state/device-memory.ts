import { PAGE_KEY_HEADER } from '../../contract/page-key.ts';

/** Where the open panels of each session are kept: read by what panels are made of, and to know whether that is needed. */
export const PANELS_KEY = 'parley.panels';

/** Keeps text by name; `localStorage` in a browser. */
export interface Memory {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
}

/** `localStorage`. Where it is full or forbidden, what was set holds until the page is closed. */
export const deviceMemory = {
  getItem(key: string): string | null {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  },
  setItem(key: string, value: string): void {
    attempt(() => localStorage.setItem(key, value));
  },
  removeItem(key: string): void {
    attempt(() => localStorage.removeItem(key));
  },
};

/** A value that was kept as JSON; `otherwise` where there is none, or none that can be read. */
export function recall<T>(key: string, otherwise: T, memory: Memory = deviceMemory): T {
  const kept = memory.getItem(key);
  if (kept === null) return otherwise;
  try {
    return JSON.parse(kept) as T;
  } catch {
    return otherwise;
  }
}

export function remember(key: string, value: unknown, memory: Memory = deviceMemory): void {
  memory.setItem(key, JSON.stringify(value));
}

function attempt(write: () => void): void {
  try {
    write();
  } catch {
    // Full or forbidden.
  }
}

const NAME = 'parley.page-key';

/** For browsers that keep nothing: then the sign-in lasts until the page is reloaded. */
let unkept: string | null = null;

/** The second half of this browser's sign-in. Only pages of this origin can read it; the cookie goes to every port. */
export function keepPageKey(key: string): void {
  unkept = key;
  deviceMemory.setItem(NAME, key);
}

/** Read anew each time: another tab may have signed in again. */
export function pageKeyHeaders(): Record<string, string> {
  const key = deviceMemory.getItem(NAME) ?? unkept;
  return key === null ? {} : { [PAGE_KEY_HEADER]: key };
}

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

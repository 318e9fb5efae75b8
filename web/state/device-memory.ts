import type { Memory } from './sending.ts';

/** `localStorage`, where a full or forbidden store costs only the remembering. */
export const deviceMemory: Memory = {
  getItem(key) {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  },
  setItem(key, value) {
    try {
      localStorage.setItem(key, value);
    } catch {
      // Nothing is lost while the page is open.
    }
  },
};

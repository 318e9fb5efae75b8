const FIRST_MS = 250;
const LONGEST_MS = 10_000;

/** How long to wait before attempt `n` (from 0), spread so that many clients do not come back at once. */
export function backoffMs(attempt: number, random: () => number = Math.random): number {
  const full = Math.min(LONGEST_MS, FIRST_MS * 2 ** attempt);
  return full / 2 + (full / 2) * random();
}

/** Rejects with the signal's reason when it fires first. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const timer = setTimeout(finish, ms);
    signal?.addEventListener('abort', finish, { once: true });
    function finish(): void {
      clearTimeout(timer);
      signal?.removeEventListener('abort', finish);
      if (signal?.aborted) reject(signal.reason);
      else resolve();
    }
  });
}

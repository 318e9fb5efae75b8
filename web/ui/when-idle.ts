/** Calls when the page is idle, at the latest after `atLatestMs`; gives back what takes the call back. */
export function whenIdle(work: () => void, atLatestMs: number): () => void {
  if ('requestIdleCallback' in globalThis) {
    const asked = requestIdleCallback(work, { timeout: atLatestMs });
    return () => cancelIdleCallback(asked);
  }
  // Safari doesn't tell when a page is idle.
  const asked = setTimeout(work, Math.min(atLatestMs, 200));
  return () => clearTimeout(asked);
}

import { useEffect, useState } from 'react';

/** More than this is drawn only near to where somebody reads: a thousand messages are a long evening. */
const MOST_BLOCKS = 50;

/** How many blocks from the beginning are drawn although nobody has come near: one more whenever there is time. */
export function useDrawnAhead(blocks: number): number {
  const [drawn, setDrawn] = useState(1);
  const goal = blocks > MOST_BLOCKS ? 1 : blocks;
  useEffect(() => (drawn < goal ? whenIdle(() => setDrawn(drawn + 1)) : undefined), [drawn, goal]);
  return drawn;
}

/** Not every browser says when it has time. */
function whenIdle(work: () => void): () => void {
  if (typeof requestIdleCallback === 'function') {
    const asked = requestIdleCallback(work, { timeout: 1000 });
    return () => cancelIdleCallback(asked);
  }
  const asked = setTimeout(work, 50);
  return () => clearTimeout(asked);
}

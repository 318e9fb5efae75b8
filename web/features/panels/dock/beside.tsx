import { useEffect, useRef, useState } from 'react';
import { hadPanels, loadPanels, usePanelsLoaded } from '../../../state/panels-loaded.ts';
import { type BesideProps, useSlots } from '../../../state/slots.tsx';
import { lazyPart } from '../../../ui/lazy-part.tsx';
import { whenIdle } from '../../../ui/when-idle.ts';

const PanelsAbove = lazyPart(async () => (await import('./panels-around.tsx')).PanelsAbove);
const PanelsBeside = lazyPart(async () => (await import('./panels-around.tsx')).PanelsBeside);

const PATIENCE_MS = 3000;

/** A conversation, and around it the panels that are open. What they are made of is loaded after the conversation. */
export function Beside({ state, children }: BesideProps) {
  const frame = useRef<HTMLDivElement>(null);
  const isWanted = useIsWanted(state);
  return (
    <div ref={frame} className="flex min-h-0 flex-1 flex-col">
      {isWanted && <PanelsAbove sessionId={state.sessionId} frame={frame} />}
      <div className="flex min-h-0 flex-1">
        <div className="flex min-w-0 flex-1 flex-col">{children}</div>
        {isWanted && <PanelsBeside state={state} frame={frame} />}
      </div>
    </div>
  );
}

/** At once where panels were open or one opens by itself; else when there is time. */
function useIsWanted(state: BesideProps['state']): boolean {
  const { panels } = useSlots();
  const isLoaded = usePanelsLoaded();
  const [isDue] = useState(() => hadPanels(state.sessionId));
  const isOpening = !isLoaded && panels.some(({ opensItself }) => opensItself?.(state));
  useEffect(() => {
    if (isLoaded) return;
    const load = () => void loadPanels().catch(() => undefined);
    if (isDue || isOpening) return load();
    return whenIdle(load, PATIENCE_MS);
  }, [isLoaded, isDue, isOpening]);
  return isLoaded;
}

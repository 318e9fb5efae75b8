import { type RefObject, useEffect, useState } from 'react';
import type { SessionState } from '../../../../client/session-state.ts';
import { useLiveConnection } from '../../../live/use-live.ts';
import { openOnce, useLayout } from '../../../state/open-panels.ts';
import { followCommands } from '../../../state/panel-commands.ts';
import { followPanels } from '../../../state/panel-inventory.ts';
import { useSlots } from '../../../state/slots.tsx';
import { PanelGrid } from './panel-grid.tsx';
import { PanelSheet } from './panel-sheet.tsx';

/** From this width on there is room for panels beside the conversation; below, they lie over it. */
const ROOM_PX = 820;

interface OfFrame {
  /** The conversation and the panels together. */
  frame: RefObject<HTMLElement | null>;
}

/** Where there is no room: the names of the panels, and the panel that lies over the conversation. */
export function PanelsAbove({ sessionId, frame }: OfFrame & { sessionId: string }) {
  const hasRoom = useHasRoom(frame);
  const { columns } = useLayout(sessionId);
  return columns.length > 0 && !hasRoom && <PanelSheet sessionId={sessionId} />;
}

export function PanelsBeside({ state, frame }: OfFrame & { state: SessionState }) {
  const { sessionId } = state;
  const hasRoom = useHasRoom(frame);
  const { columns, share } = useLayout(sessionId);
  useOpening(state);
  useFollowing(sessionId);
  if (columns.length === 0 || !hasRoom) return null;
  return (
    <div className="flex min-w-0 flex-none" style={{ width: `${share * 100}%` }}>
      <PanelGrid sessionId={sessionId} frame={frame} />
    </div>
  );
}

function useHasRoom(frame: RefObject<HTMLElement | null>): boolean {
  const [hasRoom, setHasRoom] = useState(() => (frame.current?.clientWidth ?? ROOM_PX) >= ROOM_PX);
  useEffect(() => {
    const element = frame.current!;
    const sizes = new ResizeObserver(() => setHasRoom(element.clientWidth >= ROOM_PX));
    sizes.observe(element);
    return () => sizes.disconnect();
  }, [frame]);
  return hasRoom;
}

/** Kinds that open by themselves do so when there is something to show. */
function useOpening(state: SessionState): void {
  const { panels } = useSlots();
  const { session, sessionId } = state;
  const wanting = panels.filter((kind) => session && kind.opensItself?.(state) && kind.isOffered(session));
  const types = wanting.map(({ type }) => type).join(' ');
  // biome-ignore lint/correctness/useExhaustiveDependencies: `types` says which they are
  useEffect(() => {
    for (const { type } of wanting) openOnce(sessionId, type);
  }, [sessionId, types]);
}

/** While the session is shown, the server knows its panels and may ask for others. */
function useFollowing(sessionId: string): void {
  const live = useLiveConnection();
  const { panels } = useSlots();
  useEffect(() => {
    const ends = [followCommands(live, sessionId, panels), followPanels(live, sessionId)];
    return () => {
      for (const end of ends) end();
    };
  }, [live, sessionId, panels]);
}

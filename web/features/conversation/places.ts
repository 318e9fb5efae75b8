/** Where somebody was reading: a row, how far below its beginning the page began, and how high rows were. */
export interface Place {
  readonly key: string;
  /** Of the message, so that as much can be loaded again. */
  readonly seq: number;
  readonly offset: number;
  readonly sizes: ReadonlyMap<string, number>;
}

const KEPT = 30;
const places = new Map<string, Place>();

/** Undefined: at the end, or never here. */
export function placeIn(sessionId: string): Place | undefined {
  return places.get(sessionId);
}

/** For this visit to the app only. */
export function leaveAt(sessionId: string, place: Place | null): void {
  places.delete(sessionId);
  if (place) places.set(sessionId, place);
  for (const oldest of places.keys()) {
    if (places.size <= KEPT) return;
    places.delete(oldest);
  }
}

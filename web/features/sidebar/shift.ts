import type { SessionDeps } from '../../state/session-deps.ts';
import { moveTo, placePins, sectionsOf, sessionOf } from '../../state/session-verbs.ts';

/** A pin moves among the pins; another session moves to the folder above or below. */
export async function shift(deps: SessionDeps, id: string, by: 1 | -1): Promise<void> {
  const { pinned, folders } = sectionsOf(deps);
  const at = pinned.indexOf(id);
  if (at >= 0) {
    const next = at + by;
    if (next >= 0 && next < pinned.length) await placePins(deps, [id], by === 1 ? next + 1 : next);
    return;
  }
  const places = [...folders.map(({ name }): string | null => name), null];
  const place = places.indexOf(sessionOf(deps, id)?.folder ?? null) + by;
  if (place >= 0 && place < places.length) await moveTo(deps, [id], places[place]!);
}

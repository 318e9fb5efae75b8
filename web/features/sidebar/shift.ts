import { moveTo, placePins, sectionsOf, sessionOf } from '../../state/session-verbs.ts';
import type { World } from '../../state/world.ts';

/** A pin moves among the pins; another session moves to the folder above or below. */
export async function shift(world: World, id: string, by: 1 | -1): Promise<void> {
  const { pinned, folders } = sectionsOf(world);
  const at = pinned.indexOf(id);
  if (at >= 0) {
    const next = at + by;
    if (next >= 0 && next < pinned.length) await placePins(world, [id], by === 1 ? next + 1 : next);
    return;
  }
  const places = [...folders.map(({ name }): string | null => name), null];
  const place = places.indexOf(sessionOf(world, id)?.folder ?? null) + by;
  if (place >= 0 && place < places.length) await moveTo(world, [id], places[place]!);
}

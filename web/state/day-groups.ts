import type { Session } from '../../contract/sessions.ts';

export type DayGroupId = 'today' | 'yesterday' | 'week' | 'month' | 'older';

export interface DayGroup {
  day: DayGroupId;
  ids: string[];
}

/** Sessions by how long ago they were last active, in calendar days; `sessions` are newest first. */
export function toDayGroups(sessions: readonly Session[], now: number): DayGroup[] {
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  const groups = Map.groupBy(sessions, ({ lastActivityAt }) => dayOf(Date.parse(lastActivityAt), midnight));
  return [...groups].map(([day, listed]) => ({ day, ids: listed.map(({ id }) => id) }));
}

function dayOf(at: number, midnight: number): DayGroupId {
  const start = (days: number) => new Date(midnight).setDate(new Date(midnight).getDate() - days);
  if (at >= midnight) return 'today';
  if (at >= start(1)) return 'yesterday';
  if (at >= start(7)) return 'week';
  return at >= start(30) ? 'month' : 'older';
}

import type { NewSchedule, Schedule } from '../../../contract/schedules.ts';

/** What the form holds: words as they are typed, and nothing where nothing is. */
export interface Draft {
  readonly name: string;
  readonly agentId: string;
  readonly content: string;
  readonly when: string;
  readonly timeZone: string;
  /** Empty: a new session each time. */
  readonly sessionId: string;
  readonly skipsMissed: boolean;
  /** Empty: without end. */
  readonly times: string;
}

export const hereZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

export function blank(agentId = ''): Draft {
  const words = { name: '', content: '', when: '', sessionId: '', times: '' };
  return { ...words, agentId, timeZone: hereZone(), skipsMissed: false };
}

export function draftOf({ name, agentId, content, when, timeZone, sessionId, missed, runsLeft }: Schedule): Draft {
  return {
    name,
    agentId: agentId ?? '',
    content,
    when,
    timeZone,
    sessionId: sessionId ?? '',
    skipsMissed: missed === 'skip',
    times: runsLeft === null || runsLeft === 0 ? '' : String(runsLeft),
  };
}

export function isComplete({ name, content, when, agentId, sessionId }: Draft): boolean {
  return [name, content, when].every((words) => words.trim() !== '') && (agentId !== '' || sessionId !== '');
}

export function toFields(draft: Draft) {
  return {
    name: draft.name.trim(),
    agentId: draft.agentId || null,
    content: draft.content.trim(),
    when: draft.when.trim(),
    timeZone: draft.timeZone.trim(),
    sessionId: draft.sessionId || null,
    missed: draft.skipsMissed ? 'skip' : 'run-once',
    runsLeft: draft.times === '' ? null : Number(draft.times),
  } satisfies NewSchedule;
}

/** Only what is not as it was: a time that stays is not counted anew. */
export function changesOf(start: Draft, draft: Draft) {
  const [before, now] = [toFields(start), toFields(draft)];
  const changed = (Object.keys(now) as (keyof typeof now)[]).filter((key) => now[key] !== before[key]);
  return Object.fromEntries(changed.map((key) => [key, now[key]]));
}

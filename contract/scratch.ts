import type { Session } from './sessions.ts';

/** Attributes of a session that only tries an agent or a team: lists leave it out, and it is deleted. */
export const SCRATCH = { scratch: true } as const;

export function isScratch({ attributes }: Pick<Session, 'attributes'>): boolean {
  return attributes.scratch === SCRATCH.scratch;
}

import { AppError } from '../../contract/errors.ts';
import { HOPS_HEADER } from '../../contract/hops.ts';
import { say } from '../../contract/texts.ts';
import type { Ctx } from '../http/mount.ts';

/** More servers than that never ask each other on purpose. */
export const MOST_HOPS = 8;

/** How many servers a request has passed through. Throws when they seem to ask each other in a circle. */
export function hopsOf(c: Ctx): number {
  return checkHops(c.req.header(HOPS_HEADER));
}

export function checkHops(given: unknown): number {
  const hops = Number(given ?? 0);
  if (!Number.isInteger(hops) || hops < 0) throw new AppError('invalid_request', say('invalid_request.hops'));
  if (hops > MOST_HOPS) throw new AppError('too_many_hops', say('too_many_hops', { hops }));
  return hops;
}

import { AppError } from '../../contract/errors.ts';
import { HOPS_HEADER } from '../../contract/hops.ts';
import { say } from '../../contract/texts.ts';
import type { Ctx } from '../http/mount.ts';
import type { ProtocolDeps } from './protocol.ts';

/** How many servers a request has passed through. Throws when they seem to ask each other in a circle. */
export function hopsOf(deps: Pick<ProtocolDeps, 'assertHops'>, c: Ctx): number {
  return checkHops(deps, c.req.header(HOPS_HEADER));
}

export function checkHops(deps: Pick<ProtocolDeps, 'assertHops'>, given: unknown): number {
  const hops = readHops(given);
  deps.assertHops(hops);
  return hops;
}

export function readHops(given: unknown): number {
  const hops = Number(given ?? 0);
  if (!Number.isSafeInteger(hops) || hops < 0) throw new AppError('invalid_request', say('invalid_request.hops'));
  return hops;
}

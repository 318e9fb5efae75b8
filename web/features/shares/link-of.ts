import type { Share } from '../../../contract/shares.ts';

/** Under the address at which this page was opened: the server does not see what a proxy in front of it makes of its own. */
export function linkOf({ url }: Share, origin = location.origin): string {
  return origin + new URL(url).pathname;
}

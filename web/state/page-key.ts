import { PAGE_KEY_HEADER } from '../../contract/page-key.ts';
import { deviceMemory } from './device-memory.ts';

const NAME = 'parley.page-key';

/** For browsers that keep nothing: then the sign-in lasts until the page is reloaded. */
let unkept: string | null = null;

/** The second half of this browser's sign-in. Only pages of this origin can read it; the cookie goes to every port. */
export function keepPageKey(key: string): void {
  unkept = key;
  deviceMemory.setItem(NAME, key);
}

/** Read anew each time: another tab may have signed in again. */
export function pageKeyHeaders(): Record<string, string> {
  const key = deviceMemory.getItem(NAME) ?? unkept;
  return key === null ? {} : { [PAGE_KEY_HEADER]: key };
}

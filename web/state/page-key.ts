import { PAGE_KEY_HEADER } from '../../contract/page-key.ts';

const NAME = 'parley.page-key';

/** For browsers that keep nothing: then the sign-in lasts until the page is reloaded. */
let unkept: string | null = null;

/** The second half of this browser's sign-in. Only pages of this origin can read it; the cookie goes to every port. */
export function keepPageKey(key: string): void {
  unkept = key;
  try {
    localStorage.setItem(NAME, key);
  } catch {
    // Storage is full or forbidden.
  }
}

/** Read anew each time: another tab may have signed in again. */
export function pageKeyHeaders(): Record<string, string> {
  const key = read();
  return key === null ? {} : { [PAGE_KEY_HEADER]: key };
}

function read(): string | null {
  try {
    return localStorage.getItem(NAME) ?? unkept;
  } catch {
    return unkept;
  }
}

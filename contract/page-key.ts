/** The header in which a page of the web app sends the key it got when it signed in. */
export const PAGE_KEY_HEADER = 'Parley-Page-Key';

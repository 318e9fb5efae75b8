/** What ids look like. A file of its own: a browser needs it without the schemas. */
export const ID_PATTERN = /^[A-Za-z0-9_-]{1,128}$/;

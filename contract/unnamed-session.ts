/** The title of a session that has no name and no message yet. */
export const UNNAMED_SESSION = 'New session';

// A file of its own: a browser needs these without the schemas.

/** How long an inventory is kept without being pushed again. A page that is closed pushes nothing more. */
export const PANELS_KEPT_MS = 180_000;
/** How often an open page pushes its inventory again although nothing has changed. */
export const PUSH_PANELS_EVERY_MS = 60_000;
/** How long an agent waits for a page to carry out a command. */
export const PANEL_COMMAND_MS = 5000;

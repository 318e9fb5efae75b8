/**
 * How many servers a message has passed through, as a header of requests between them. A message that an agent of another
 * Parley sends on behalf of a message it was sent counts on, so that two servers never ask each other for ever.
 */
export const HOPS_HEADER = 'Parley-Hops';

/** The same for a call of a tool over MCP, in its `_meta`. */
export const HOPS_META = 'parley/hops';

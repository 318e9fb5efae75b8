import { createContext } from 'react';

/** Whether the server cannot be reached: what is shown of work under way is then only the last that was heard of it. */
export const IsOffline = createContext(false);

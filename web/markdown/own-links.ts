import { createContext } from 'react';

/** Goes to a place inside the app. False: it is none that the app has, and the link does what links do. */
export type FollowLink = (path: string) => boolean;

/** How links to sessions, messages, lists and notes are followed; null where there is no app around. */
export const OwnLinks = createContext<FollowLink | null>(null);

import type { SessionState } from '../../client/session-state.ts';
import type { Action } from '../../contract/actions.ts';
import type { Session } from '../../contract/sessions.ts';
import type { Activity } from './activity.ts';

export type Connection = 'connecting' | 'open' | 'lost' | 'stopping' | 'signed-out';

/** What this tab knows of the server. Never changed in place. */
export interface LiveState {
  readonly connection: Connection;
  /** Everything that is listed or has been heard of. */
  readonly sessions: ReadonlyMap<string, Session>;
  /** Whether the first pages have been read. */
  readonly isListed: boolean;
  /** Where the list goes on; null when all of it is here. */
  readonly nextPage: string | null;
  /** The same for archived sessions; undefined until they are asked for. */
  readonly nextArchived: string | null | undefined;
  /** Conversations that are open, or were a moment ago. */
  readonly states: ReadonlyMap<string, SessionState>;
  /** Whether something earlier than what is loaded exists, by session. */
  readonly earlier: ReadonlyMap<string, number | null>;
  /** Everything that waits for the person, oldest first. */
  readonly actions: ReadonlyMap<string, Action>;
  /** What is being done in sessions that work at this moment, as far as this tab was told. */
  readonly activities: ReadonlyMap<string, Activity>;
  /** Rises whenever agents or settings have changed. */
  readonly configurationVersion: number;
  /** Rises whenever session templates have changed. */
  readonly templatesVersion: number;
  /** Rises when what agents remember has changed. */
  readonly memoryVersion: number;
  /** Rises when webhooks, their deliveries or requests have changed. */
  readonly webhooksVersion: number;
}

export const NOTHING: LiveState = {
  connection: 'connecting',
  sessions: new Map(),
  isListed: false,
  nextPage: null,
  nextArchived: undefined,
  states: new Map(),
  earlier: new Map(),
  actions: new Map(),
  activities: new Map(),
  configurationVersion: 0,
  templatesVersion: 0,
  memoryVersion: 0,
  webhooksVersion: 0,
};

import type { Pool } from '../pool.ts';
import type { OpenSession } from './open-session.ts';
import type { AcpProgram } from './program.ts';

/** An ACP session whose turn is under way. */
export interface LiveSession {
  readonly program: AcpProgram;
  readonly session: OpenSession;
  readonly folder: string;
  /** Agents that are modes of this session. */
  readonly modes: ReadonlyMap<string, string>;
}

const ofPools = new WeakMap<Pool, LiveSessions>();

/** The ACP sessions of turns that run, so that an agent that is a mode of another one's session can answer in it. */
export class LiveSessions {
  readonly #sessions = new Map<string, LiveSession>();

  static of(pool: Pool): LiveSessions {
    const known = ofPools.get(pool) ?? new LiveSessions();
    ofPools.set(pool, known);
    return known;
  }

  add(sessionId: string, agentId: string, live: LiveSession): () => void {
    const key = keyOf(sessionId, agentId);
    this.#sessions.set(key, live);
    return () => void this.#sessions.delete(key);
  }

  find(sessionId: string, agentId: string): LiveSession | undefined {
    return this.#sessions.get(keyOf(sessionId, agentId));
  }
}

function keyOf(sessionId: string, agentId: string): string {
  return `${sessionId} ${agentId}`;
}

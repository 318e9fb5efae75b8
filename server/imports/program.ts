import type { SessionProgram } from '../../contract/program-sessions.ts';
import type { Usage } from '../../contract/turns.ts';
import type { SessionDraft } from './session-draft.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A program that keeps its sessions in files, which are only ever read. */
export interface Program {
  readonly program: SessionProgram;
  /** Where its sessions are, with all folders below. */
  root(env: Environment): string;
  /** The id of the session in a file of this path below the root; null when the file is something else. */
  idOf(path: string): string | null;
  /** What a list shows, read from the beginning and the end of the file. Null: not a session of the person. */
  glance(head: readonly unknown[], tail: readonly unknown[]): Glance | null;
  read(file: SessionFile, draft: SessionDraft): Promise<ProgramFacts>;
  /** What an agent that runs the program needs to go on with the session. */
  stateToken(file: SessionFile): string;
}

export interface SessionFile {
  readonly id: string;
  readonly path: string;
  readonly bytes: number;
  readonly changedAt: number;
  /** Another session of the same program, to which this one may refer. */
  other(id: string): Promise<SessionFile | undefined>;
}

export interface Glance {
  readonly title: string | null;
  readonly folder: string | null;
}

/** What a file says of the session besides what was said in it. */
export interface ProgramFacts extends Glance {
  readonly usage: Usage | null;
}

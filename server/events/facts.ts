import type { ArtifactKind, Author } from '../../contract/artifacts.ts';
import type { RunState } from '../../contract/schedules.ts';

/** What a transaction makes true outside of sessions, for what is written alongside it. Clients are told otherwise. */
export type Fact = ArtifactFact | ArtifactRemovedFact | ScheduleFact;

interface ArtifactFact {
  readonly type: 'artifact.changed';
  readonly owner: string;
  readonly artifactId: string;
  readonly kind: ArtifactKind;
  readonly name: string;
  readonly version: number;
  /** Kinds of changes, oldest first. */
  readonly changes: readonly string[];
  readonly by: Author;
}

interface ArtifactRemovedFact {
  readonly type: 'artifact.removed';
  readonly owner: string;
  readonly artifactId: string;
}

interface ScheduleFact {
  readonly type: 'schedule.ran';
  readonly owner: string;
  readonly scheduleId: string;
  readonly name: string;
  readonly agentId: string | null;
  readonly run: {
    readonly id: string;
    readonly state: RunState;
    readonly sessionId: string | null;
    readonly turnId: string | null;
  };
}

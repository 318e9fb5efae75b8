import type { AgentDirectory } from '../agents/directory.ts';
import type { Transcription } from '../agents/transcription.ts';
import type { Artifacts } from '../artifacts/artifacts.ts';
import type { Configuration } from '../config/configuration.ts';
import type { Environment } from '../config/environment.ts';
import type { EventLog } from '../events/log.ts';
import type { EventReplay } from '../events/replay.ts';
import type { SharedFeed } from '../events/shared-feed.ts';
import type { Files } from '../files/files.ts';
import type { Knowledge } from '../knowledge/knowledge.ts';
import type { Metrics } from '../metrics.ts';
import type { Panels } from '../panels/panels.ts';
import type { Push } from '../push/push.ts';
import type { Schedules } from '../schedules/schedules.ts';
import type { MessageSearch } from '../sessions/search.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { SessionTemplates } from '../sessions/templates.ts';
import type { Shares } from '../shares/shares.ts';
import type { AuditEntry } from '../storage/audit.ts';
import type { Teams } from '../teams/teams.ts';
import type { TeamTrials } from '../teams/try-team.ts';
import type { RetiredAgents } from '../tools/retired-agents.ts';
import type { Tooling } from '../tools/tooling.ts';
import type { Actions } from '../turns/actions.ts';
import type { Turns } from '../turns/turns.ts';
import type { ApprovedCards } from './approved-cards.ts';
import type { Credentials, WrongAttempts } from './credentials.ts';
import type { Streams } from './streams.ts';
import type { WebFiles } from './web/web-files.ts';

/** Everything that answers requests. Each file of routes takes the part of it that it uses. */
export interface RouteDeps {
  readonly version: string;
  readonly instance: string;
  readonly env: Environment;
  readonly configuration: Configuration;
  readonly log: EventLog;
  readonly feed: SharedFeed;
  readonly replay: EventReplay;
  readonly sessions: Sessions;
  readonly templates: SessionTemplates;
  readonly teams: Teams;
  readonly trials: TeamTrials;
  readonly schedules: Schedules;
  readonly push: Push;
  readonly files: Files;
  readonly shares: Shares;
  readonly transcription: Transcription;
  readonly agents: AgentDirectory;
  readonly turns: Turns;
  readonly actions: Actions;
  readonly tooling: Tooling;
  readonly retired: RetiredAgents;
  readonly panels: Panels;
  readonly artifacts: Artifacts;
  readonly knowledge: Knowledge;
  readonly search: MessageSearch;
  readonly cards: ApprovedCards;
  readonly credentials: Credentials;
  readonly attempts: WrongAttempts;
  readonly streams: Streams;
  readonly metrics: Metrics;
  /** The web app as it was built. */
  readonly web: WebFiles;
  /** A link that signs a browser in, once. */
  signInLink(): { url: string; expiresAt: string };
  audit(entry: AuditEntry): Promise<void>;
}

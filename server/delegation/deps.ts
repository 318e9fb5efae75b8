import type { DelegationLimits } from '../../contract/config.ts';
import type { AgentDirectory } from '../agents/directory.ts';
import type { ResolvedAgent } from '../agents/resolved-agent.ts';
import type { EventLog } from '../events/log.ts';
import type { Actions } from '../turns/actions.ts';
import type { TurnEngine } from '../turns/engine.ts';

export interface DelegationDeps {
  readonly log: EventLog;
  readonly engine: TurnEngine;
  readonly actions: Actions;
  readonly agents: AgentDirectory;
  limits(): DelegationLimits;
  everyone(): ReadonlyMap<string, ResolvedAgent>;
}

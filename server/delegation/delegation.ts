import type { ChainLink } from '../../contract/actions.ts';
import type { Agent, TurnDelegates } from '../agents/agent.ts';
import type { ResolvedAgent } from '../agents/resolved-agent.ts';
import type { Tx } from '../events/log.ts';
import type { SessionRow, TurnRow } from '../storage/tables.ts';
import { followsTags } from '../tools/private-reading.ts';
import type { BackgroundSession, BackgroundWork } from '../tools/tool.ts';
import type { RunningTurn } from '../turns/running-turn.ts';
import { Background } from './background.ts';
import { delegateEnded } from './deliver.ts';
import { TagDelegates } from './follow-tags.ts';
import type { DelegationHouse } from './house.ts';
import { findDelegation } from './store.ts';

/** What turns are told about giving work to others; they never ask for more. */
export class Delegation {
  readonly #house: DelegationHouse;
  readonly #background: Background;

  constructor(house: DelegationHouse) {
    this.#house = house;
    this.#background = new Background(house);
  }

  async askersOf(turn: TurnRow): Promise<readonly ChainLink[]> {
    const row = await findDelegation(this.#house.log.db, turn.id);
    return row ? JSON.parse(row.chain) : [];
  }

  delegateEnded(tx: Tx, session: SessionRow, turn: TurnRow): Promise<void> {
    return delegateEnded(this.#house, tx, session, turn);
  }

  /** For agents that have children, and for those whose configuration says so. */
  delegates(running: RunningTurn, agent: ResolvedAgent): TurnDelegates | null {
    const all = [...this.#house.everyone().values()];
    const children = all.filter((other) => other.parentAgentId === agent.agentId);
    if (!followsTags(this.#house.everyone(), agent)) return null;
    const offered = (children.length > 0 ? children : all).filter(
      ({ agentId, uiVisible }) => running.toolset?.scoped.decideAgent(agentId, uiVisible).allowed,
    );
    return new TagDelegates(this.#house, running, agent, offered);
  }

  background(running: RunningTurn, callId: string | null, work: BackgroundWork): Promise<BackgroundSession> {
    return this.#background.begin(running, callId, work);
  }

  worker(running: RunningTurn): Agent | undefined {
    return this.#background.worker(running);
  }
}

import type { ChainLink } from '../../contract/actions.ts';
import { newId } from '../../contract/ids.ts';
import type { Agent, TurnDelegates } from '../agents/agent.ts';
import type { ResolvedAgent } from '../agents/resolved-agent.ts';
import { WorkerAgent } from '../agents/worker/worker-agent.ts';
import type { Tx } from '../events/log.ts';
import type { SessionRow, TurnRow } from '../storage/tables.ts';
import { followsTags } from '../tools/private-reading.ts';
import { type BackgroundSession, type BackgroundWork, ToolFailure } from '../tools/tool.ts';
import type { RunningTurn } from '../turns/running-turn.ts';
import { delegateEnded } from './deliver.ts';
import type { DelegationDeps } from './deps.ts';
import { TagDelegates } from './follow-tags.ts';
import { sendDelegated } from './send.ts';
import { findDelegation } from './store.ts';

/** What turns are told about giving work to others; they never ask for more. */
export class Delegation {
  readonly #deps: DelegationDeps;
  readonly #background: Background;

  constructor(deps: DelegationDeps) {
    this.#deps = deps;
    this.#background = new Background(deps);
  }

  async askersOf(turn: TurnRow): Promise<readonly ChainLink[]> {
    const row = await findDelegation(this.#deps.log.db, turn.id);
    return row ? JSON.parse(row.chain) : [];
  }

  delegateEnded(tx: Tx, session: SessionRow, turn: TurnRow): Promise<void> {
    return delegateEnded(this.#deps, tx, session, turn);
  }

  /** For agents that have children, and for those whose configuration says so. */
  delegates(running: RunningTurn, agent: ResolvedAgent): TurnDelegates | null {
    const all = [...this.#deps.everyone().values()];
    const children = all.filter((other) => other.parentAgentId === agent.agentId);
    if (!followsTags(this.#deps.everyone(), agent)) return null;
    const offered = (children.length > 0 ? children : all).filter(
      ({ agentId, uiVisible }) => running.toolset?.scoped.decideAgent(agentId, uiVisible).allowed,
    );
    return new TagDelegates(this.#deps, running, agent, offered);
  }

  background(running: RunningTurn, callId: string | null, work: BackgroundWork): Promise<BackgroundSession> {
    return this.#background.begin(running, callId, work);
  }

  worker(running: RunningTurn): Agent | undefined {
    return this.#background.worker(running);
  }
}

/** A tool that goes on after its call has returned works in a session of its own, linked to the one it was called in. */
class Background {
  readonly #deps: DelegationDeps;
  readonly #work = new Map<string, BackgroundWork>();

  constructor(deps: DelegationDeps) {
    this.#deps = deps;
  }

  async begin(running: RunningTurn, callId: string | null, work: BackgroundWork): Promise<BackgroundSession> {
    const messageId = newId();
    this.#work.set(messageId, work);
    try {
      const { agent_id: agentId, session_id: parentSessionId } = running.turn;
      const delegation = await sendDelegated(this.#deps, running, {
        to: agentId,
        content: work.description,
        session: 'create',
        newSession: { agentId, type: 'tool-execution', parentSessionId, title: work.title },
        mode: 'async',
        notify: work.notify ?? 'wake',
        via: 'background',
        callId,
        messageId,
      });
      return { sessionId: delegation.session_id, turnId: delegation.turn_id };
    } catch (error) {
      this.#work.delete(messageId);
      throw error;
    }
  }

  /** What does the work of a turn instead of its agent. After a restart it is gone: nothing is begun twice. */
  worker(running: RunningTurn): Agent | undefined {
    const { message_id: messageId, parent_turn_id: parent } = running.turn;
    const work = this.#work.get(messageId);
    if (work) {
      this.#work.delete(messageId);
      return new WorkerAgent(work);
    }
    return running.sessionType === 'tool-execution' && parent !== null ? new WorkerAgent(LOST) : undefined;
  }
}

const LOST: BackgroundWork = {
  title: '',
  description: '',
  run() {
    throw new ToolFailure('Parley stopped before this work started.', 'server_stopped');
  },
};

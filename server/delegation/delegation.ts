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
import type { Delegates, TurnDeps } from '../turns/turn-deps.ts';
import { delegateEnded } from './deliver.ts';
import { TagDelegates } from './follow-tags.ts';
import { sendDelegated } from './send.ts';
import { findDelegation } from './store.ts';
import { addressed } from './who-answers.ts';

/** Work that agents give each other, and tools that go on in a session of their own. */
export class Delegation implements Delegates {
  /** What was begun in this process and not taken up yet, by the message that its turn answers. */
  readonly #begun = new Map<string, BackgroundWork>();

  addressed({ agents }: TurnDeps, session: SessionRow, content: string): readonly string[] {
    return addressed(session, content, agents.seenBy(session.agent_id));
  }

  async askersOf({ log }: TurnDeps, turn: TurnRow): Promise<readonly ChainLink[]> {
    const row = await findDelegation(log.db, turn.id);
    return row ? JSON.parse(row.chain) : [];
  }

  ended(deps: TurnDeps, tx: Tx, session: SessionRow, turn: TurnRow): Promise<void> {
    return delegateEnded(deps, tx, session, turn);
  }

  /**
   * For agents that have children, and for those whose configuration says so. The orchestrator of the team with which the
   * session began is offered the team.
   */
  tagsOf(deps: TurnDeps, running: RunningTurn, agent: ResolvedAgent): TurnDelegates | null {
    const agents = deps.agents.seenBy(agent.agentId);
    if (!followsTags(agents, agent)) return null;
    const all = [...agents.values()];
    const children = all.filter((other) => other.parentAgentId === agent.agentId);
    const near = [...new Set([...ledBy(agent, running.team ?? [], agents), ...children])];
    const offered = (near.length > 0 ? near : all).filter(
      ({ agentId, uiVisible }) => running.toolset?.scoped.decideAgent(agentId, uiVisible).allowed,
    );
    return new TagDelegates(deps, running, agent, offered);
  }

  /** The session is linked to the one in which the work was begun. */
  async begin(
    deps: TurnDeps,
    running: RunningTurn,
    callId: string | null,
    work: BackgroundWork,
  ): Promise<BackgroundSession> {
    const messageId = newId();
    this.#begun.set(messageId, work);
    try {
      const { agent_id: agentId, session_id: parentSessionId } = running.turn;
      const delegation = await sendDelegated(deps, running, {
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
      this.#begun.delete(messageId);
      throw error;
    }
  }

  /** After a restart the work is gone: nothing is begun twice. */
  workerFor(running: RunningTurn): Agent | undefined {
    const { message_id: messageId, parent_turn_id: parent } = running.turn;
    const work = this.#begun.get(messageId);
    this.#begun.delete(messageId);
    if (work) return new WorkerAgent(work);
    return running.sessionType === 'tool-execution' && parent !== null ? new WorkerAgent(LOST) : undefined;
  }
}

/** The agents of a team that its orchestrator leads itself: those that are not below another one of them. */
function ledBy(
  { agentId: leader }: ResolvedAgent,
  team: readonly string[],
  agents: ReadonlyMap<string, ResolvedAgent>,
): ResolvedAgent[] {
  if (team[0] !== leader) return [];
  const others = team.slice(1);
  return others
    .flatMap((agentId) => agents.get(agentId) ?? [])
    .filter(({ parentAgentId }) => parentAgentId === null || !others.includes(parentAgentId));
}

const LOST: BackgroundWork = {
  title: '',
  description: '',
  run() {
    throw new ToolFailure('Parley stopped before this work started.', 'server_stopped');
  },
};

import { newId } from '../../contract/ids.ts';
import type { Agent } from '../agents/agent.ts';
import { WorkerAgent } from '../agents/worker/worker-agent.ts';
import { type BackgroundSession, type BackgroundWork, ToolFailure } from '../tools/tool.ts';
import type { RunningTurn } from '../turns/running-turn.ts';
import type { DelegationHouse } from './house.ts';
import { sendErrand } from './send.ts';

/** A tool that goes on after its call has returned works in a session of its own, linked to the one it was called in. */
export class Background {
  readonly #house: DelegationHouse;
  readonly #work = new Map<string, BackgroundWork>();

  constructor(house: DelegationHouse) {
    this.#house = house;
  }

  async begin(running: RunningTurn, callId: string | null, work: BackgroundWork): Promise<BackgroundSession> {
    const messageId = newId();
    this.#work.set(messageId, work);
    try {
      const { agent_id: agentId, session_id: parentSessionId } = running.turn;
      const errand = await sendErrand(this.#house, running, {
        to: agentId,
        content: work.description,
        session: 'create',
        newSession: { agentId, type: 'tool-execution', parentSessionId, title: work.title },
        mode: 'async',
        notify: 'wake',
        via: 'background',
        callId,
        messageId,
      });
      return { sessionId: errand.session_id, turnId: errand.turn_id };
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

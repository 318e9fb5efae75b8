import { newId } from '../../contract/ids.ts';
import type { AgentAdapter, AgentEnd, AgentEvent, TurnInput } from '../agents/adapter.ts';
import { type BackgroundSession, type BackgroundWork, ToolFailure } from '../tools/tool.ts';
import type { RunningTurn } from '../turns/running-turn.ts';
import type { DelegationHouse } from './house.ts';
import { sendErrand } from './send.ts';

/** Seed 002: a tool that goes on after its call has returned works in a session of its own, linked to where it began. */
export class Background {
  readonly #house: DelegationHouse;
  readonly #work = new Map<string, BackgroundWork>();

  constructor(house: DelegationHouse) {
    this.#house = house;
  }

  async begin(running: RunningTurn, callId: string, work: BackgroundWork): Promise<BackgroundSession> {
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
  worker(running: RunningTurn): AgentAdapter | undefined {
    const { message_id: messageId, parent_turn_id: parent } = running.turn;
    const work = this.#work.get(messageId);
    if (work) {
      this.#work.delete(messageId);
      return new Worker(work);
    }
    return running.sessionType === 'tool-execution' && parent !== null ? new Worker(LOST) : undefined;
  }
}

const LOST: BackgroundWork = {
  title: '',
  description: '',
  run() {
    throw new ToolFailure('Parley stopped before this work had begun.', 'server_stopped');
  },
};

/** Speaks what the work says. */
class Worker implements AgentAdapter {
  readonly canSteer = false;
  readonly #work: BackgroundWork;

  constructor(work: BackgroundWork) {
    this.#work = work;
  }

  async *take(_: TurnInput, signal: AbortSignal): AsyncIterable<AgentEvent> {
    try {
      for await (const text of this.#work.run(signal)) yield { type: 'text', text };
      yield signal.aborted ? CANCELLED : COMPLETE;
    } catch (error) {
      yield signal.aborted ? CANCELLED : toFailure(error);
    }
  }
}

const COMPLETE: AgentEnd = { type: 'end', reason: 'complete', stopReason: 'stop' };
const CANCELLED: AgentEnd = { type: 'end', reason: 'cancelled', stopReason: 'cancelled' };

function toFailure(error: unknown): AgentEnd {
  const known = error instanceof ToolFailure;
  const { code, message } = known ? error : { code: 'tool_failed', message: 'Something went wrong inside the tool.' };
  return { type: 'end', reason: 'failed', stopReason: 'error', error: { code, message, retryable: false } };
}

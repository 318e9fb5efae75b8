import { type BackgroundWork, ToolFailure } from '../../tools/tool.ts';
import type { Agent, AgentEnd, AgentEvent, TurnHost, TurnInput } from '../agent.ts';

/** Answers with what a tool that goes on in the background says. It is made for one turn and has no definition. */
export class WorkerAgent implements Agent {
  readonly traits = { steers: false, ownsContext: false, ownsTools: false, reattaches: false };
  readonly #work: BackgroundWork;

  constructor(work: BackgroundWork) {
    this.#work = work;
  }

  async *run(_turn: TurnInput, host: TurnHost, signal: AbortSignal): AsyncIterable<AgentEvent> {
    try {
      for await (const text of this.#work.run(signal, host)) yield { type: 'text', text };
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
  const { code, message } = known ? error : { code: 'tool_failed', message: 'The tool failed unexpectedly.' };
  return { type: 'end', reason: 'failed', stopReason: 'error', error: { code, message, retryable: false } };
}

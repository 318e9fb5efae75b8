import type { ToolCallStatus, ToolCallUpdate } from '@agentclientprotocol/sdk';
import type { TextEvent } from '../text-agent.ts';
import { hasInput, inputOf, type KnownCall, nameOf, outputOf, parleyToolOf } from './describe-call.ts';

/** A call whose arguments still grow is reported once nothing has been added to them for so long. */
const SETTLED_MS = 300;
const MOST_TERMINAL = 200_000;

interface Call {
  known: KnownCall;
  state: 'held' | 'started' | 'ended';
  terminal: string;
  timer: NodeJS.Timeout | undefined;
}

/**
 * The tools that a program runs itself, by the ids it gives them. Updates of a call arrive in pieces, and the same call may
 * be announced twice. Parley's own tools are left out: what they do is recorded where they are carried out.
 */
export class ToolCalls {
  readonly #calls = new Map<string, Call>();
  readonly #offered: ReadonlySet<string>;
  readonly #emit: (event: TextEvent) => void;
  /** A guest's attempt is reported at once, because it ends the turn. */
  readonly #atOnce: boolean;

  constructor(offered: ReadonlySet<string>, emit: (event: TextEvent) => void, atOnce: boolean) {
    this.#offered = offered;
    this.#emit = emit;
    this.#atOnce = atOnce;
  }

  /** Whether a call is under way, those of Parley's tools included. */
  get isBusy(): boolean {
    return [...this.#calls.values()].some(({ state }) => state !== 'ended');
  }

  take(update: ToolCallUpdate): void {
    const call = this.#note(update);
    const { status } = update;
    if (call.state === 'ended') return;
    if (this.#isParleys(call)) {
      if (isOver(status)) call.state = 'ended';
      return;
    }
    const isUnderWay = status === 'in_progress' || isOver(status);
    if (call.state === 'held' && (this.#atOnce || isUnderWay)) this.#start(call);
    else if (call.state === 'held' && hasInput(call.known)) this.#startSoon(call);
    if (call.state === 'started' && !isOver(status)) this.#tellProgress(call, update);
    if (isOver(status)) this.#end(call, status === 'failed');
  }

  /** The call as far as it is known, once the program asks whether it may run. It is shown from here on. */
  asked(update: ToolCallUpdate): KnownCall {
    const call = this.#note(update);
    if (call.state === 'held' && !this.#isParleys(call)) this.#start(call);
    return call.known;
  }

  /** The prompt has been answered: what is still held back is shown. */
  end(): void {
    for (const call of this.#calls.values()) if (call.state === 'held' && !this.#isParleys(call)) this.#start(call);
  }

  #note(update: ToolCallUpdate): Call {
    const known = this.#calls.get(update.toolCallId);
    const call: Call = known ?? { known: update, state: 'held', terminal: '', timer: undefined };
    call.known = { ...call.known, ...filledIn(update) };
    call.terminal = (call.terminal + terminalOutput(update)).slice(-MOST_TERMINAL);
    this.#calls.set(update.toolCallId, call);
    return call;
  }

  #isParleys({ known }: Call): boolean {
    return parleyToolOf(known, this.#offered) !== null;
  }

  #startSoon(call: Call): void {
    clearTimeout(call.timer);
    call.timer = setTimeout(() => call.state === 'held' && this.#start(call), SETTLED_MS).unref();
  }

  #start(call: Call): void {
    clearTimeout(call.timer);
    call.state = 'started';
    const { known } = call;
    this.#emit({ type: 'tool_started', callId: known.toolCallId, name: nameOf(known), input: inputOf(known) });
  }

  #tellProgress(call: Call, update: ToolCallUpdate): void {
    const text = terminalOutput(update) ? call.terminal : outputOf({ ...update }, '');
    if (text) this.#emit({ type: 'tool_progress', callId: update.toolCallId, text: text.slice(-MOST_PROGRESS) });
  }

  #end(call: Call, isError: boolean): void {
    call.state = 'ended';
    const output = outputOf(call.known, call.terminal);
    this.#emit({ type: 'tool_ended', callId: call.known.toolCallId, output, isError });
  }
}

const MOST_PROGRESS = 2000;

function isOver(status: ToolCallStatus | null | undefined): boolean {
  return status === 'completed' || status === 'failed';
}

/** What an update leaves out, or gives as null, stays as it was. */
function filledIn(update: ToolCallUpdate): Partial<KnownCall> {
  const given = Object.entries(update).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(given) as Partial<KnownCall>;
}

/** Some programs run their own terminals, and tell what these print beside the protocol's fields. */
function terminalOutput({ _meta }: ToolCallUpdate): string {
  const meta = _meta as Record<string, { data?: unknown } | undefined> | null | undefined;
  const data = meta?.terminal_output_delta?.data ?? meta?.terminal_output?.data;
  return typeof data === 'string' ? data : '';
}

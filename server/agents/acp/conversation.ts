import { setImmediate as macrotask } from 'node:timers/promises';
import { type ContentBlock, methods, type PromptResponse } from '@agentclientprotocol/sdk';
import { say } from '../../../contract/texts.ts';
import type { AgentEnd } from '../agent.ts';
import type { TextConversation, TextEvent } from '../text-agent.ts';
import { AcpFailure } from './failure.ts';
import { switchMode } from './modes.ts';
import type { OpenSession } from './open-session.ts';
import type { AcpProgram } from './program.ts';
import type { TurnClient } from './turn-client.ts';
import { usageOf } from './usage.ts';

export interface ConversationOptions {
  readonly program: AcpProgram;
  readonly session: OpenSession;
  readonly client: TurnClient;
  /** Of every prompt of this turn; null: whichever the session is in. */
  readonly mode: string | null;
  /** Sent with the first prompt, before it and after it. */
  readonly instructions: string | null;
  readonly images: readonly ContentBlock[];
  /** Whether the session is kept for later turns. */
  readonly isKept: boolean;
  /** How long the program may say nothing while it has nothing to wait for. */
  readonly silenceMs: number;
  release(broken: boolean): Promise<void>;
}

const STEERING = '_session/steering';

/** A program's session, open for one turn. One prompt is under way at a time. */
export class AcpConversation implements TextConversation {
  readonly #options: ConversationOptions;
  readonly #detach: () => void;
  #isFirst = true;
  #isAnswering = false;
  #isInterrupted = false;

  constructor(options: ConversationOptions) {
    this.#options = options;
    this.#detach = options.program.attach(options.session.id, options.client);
  }

  async *prompt(text: string): AsyncGenerator<TextEvent, AgentEnd, void> {
    const { program, session, client, mode, isKept } = this.#options;
    await switchMode(program, session, mode);
    await session.late.rest();
    const costBefore = session.cost;
    const events = client.listen();
    this.#send(text, events);
    let isHeard = false;
    for (;;) {
      const taken = await events.take(this.#options.silenceMs, () => !client.isWaiting);
      if (taken === 'late') throw silent(this.#options.silenceMs);
      if (isKept && !isHeard) yield { type: 'state', token: session.toState() };
      isHeard = true;
      if ('events' in taken) yield* taken.events;
      else return yield* this.#finish(taken.result, costBefore);
    }
  }

  /** Not of the protocol yet; programs say whether they know it. */
  async steer(text: string): Promise<boolean> {
    const { program, session } = this.#options;
    if (!program.steers || !this.#isAnswering) return false;
    const prompt: ContentBlock[] = [{ type: 'text', text }];
    // Without a prompt under way, the program would begin with one that nothing waits for.
    const _meta = { steering: { idleBehavior: 'promptRequired' } };
    const steered = program.ask<{ outcome?: unknown }>(STEERING, { sessionId: session.id, prompt, _meta });
    return steered.then(
      ({ outcome }) => outcome === 'injected',
      () => false,
    );
  }

  async interrupt(): Promise<void> {
    const { program, session, client } = this.#options;
    this.#isInterrupted = true;
    client.cancelRequests();
    program.notify(methods.agent.session.cancel, { sessionId: session.id });
  }

  /** A program that has answered its last prompt, also that it was cancelled, is worth keeping. */
  async close(broken: boolean): Promise<void> {
    const { client, release } = this.#options;
    this.#detach();
    await client.end();
    await release(broken && this.#isAnswering);
  }

  #send(text: string, events: ReturnType<TurnClient['listen']>): void {
    const { program, session, client } = this.#options;
    const prompt = this.#blocks(text);
    this.#isFirst = false;
    this.#isAnswering = true;
    const answered = program.request<PromptResponse>(methods.agent.session.prompt, { sessionId: session.id, prompt });
    void answered.then(
      async (response) => {
        // An answer overtakes the updates that arrived with it.
        await macrotask();
        this.#isAnswering = false;
        client.endPrompt();
        events.end(response);
      },
      (error) => events.fail(error),
    );
  }

  #blocks(text: string): ContentBlock[] {
    const { instructions, images } = this.#options;
    const isIntroduced = this.#isFirst && instructions !== null;
    const words: ContentBlock[] = isIntroduced
      ? [
          { type: 'text', text: instructions },
          { type: 'text', text },
        ]
      : [{ type: 'text', text }];
    return this.#isFirst ? [...words, ...images] : words;
  }

  *#finish(response: PromptResponse, costBefore: number): Generator<TextEvent, AgentEnd> {
    const { session, isKept } = this.#options;
    const usage = usageOf(response, Math.max(0, session.cost - costBefore));
    if (usage) yield { type: 'usage', usage };
    if (isKept) yield { type: 'state', token: session.toState() };
    return toEnd(response, this.#isInterrupted);
  }
}

function silent(ms: number): AcpFailure {
  return new AcpFailure(say('program_failed.stopped', { seconds: Math.round(ms / 1000) }));
}

/** Some programs stop when the person denies them something, and call this cancelled as well. */
function toEnd({ stopReason }: PromptResponse, isInterrupted: boolean): AgentEnd {
  switch (stopReason) {
    case 'end_turn':
      return { type: 'end', reason: 'complete', stopReason: 'stop' };
    case 'max_tokens':
      return { type: 'end', reason: 'complete', stopReason: 'length' };
    case 'max_turn_requests':
      return { type: 'end', reason: 'complete', stopReason: 'max_turn_requests' };
    case 'refusal':
      return new AcpFailure(say('program_failed.refusal')).toEnd();
    case 'cancelled':
      return { type: 'end', reason: isInterrupted ? 'cancelled' : 'complete', stopReason: 'cancelled' };
    default:
      return stopReason satisfies never;
  }
}

import type { Agent, AgentEnd, AgentEvent, AttributedMessage, TurnHost, TurnInput } from '../../../server/agents/agent.ts';
import { labelledTranscript } from '../../../server/agents/prompt/labelled-transcript.ts';
import { type Child, startChild } from '../../../server/processes/child.ts';
import { cleanEnvironment } from '../../../server/processes/environment.ts';
import type { ProcessRegistry } from '../../../server/processes/registry.ts';
import type { Given, Said } from './protocol.ts';
import type { ScriptedSettings } from './settings.ts';

const MAX_LINE_BYTES = 100_000;

/** Starts its program for every turn, hands it what it has not seen, and passes on what it says. */
export class ScriptedAgent implements Agent {
  readonly traits;
  readonly #program: string;
  readonly #settings: ScriptedSettings;
  readonly #processes: ProcessRegistry;

  constructor(program: string, settings: ScriptedSettings, processes: ProcessRegistry) {
    this.traits = { steers: false, ownsContext: true, ownsTools: true };
    this.#program = program;
    this.#settings = settings;
    this.#processes = processes;
  }

  async *run(turn: TurnInput, host: TurnHost, signal: AbortSignal): AsyncIterable<AgentEvent> {
    const child = await startChild({
      command: process.execPath,
      args: [this.#program],
      env: cleanEnvironment(process.env),
      signal,
      registry: this.#processes,
      maxLineBytes: MAX_LINE_BYTES,
      graceMs: 500,
    });
    try {
      await child.write(`${JSON.stringify(this.#given(turn))}\n`);
      yield* converse(child, host);
    } catch (error) {
      if (error instanceof AgentDefect) throw error;
      yield signal.aborted ? CANCELLED : failed((error as Error).message);
    } finally {
      await child.stop();
    }
  }

  #given({ input, unseen, history, summary, state, textOnly }: TurnInput): Given {
    const earlier = history.filter(({ seq }) => seq !== input.seq);
    return {
      folder: this.#settings.folder,
      script: input.text,
      unseen: toText(unseen.summary, unseen.messages),
      everything: toText(summary, earlier),
      state,
      textOnly,
    };
  }
}

function toText(summary: string | null, messages: readonly AttributedMessage[]): string {
  return [summary ?? [], labelledTranscript(messages)].flat().join('\n');
}

/** What the agent itself gets wrong, instead of its program. */
class AgentDefect extends Error {}

async function* converse(child: Child, _host: TurnHost): AsyncGenerator<AgentEvent> {
  for await (const line of child.lines) {
    const said: Said = JSON.parse(line);
    switch (said.type) {
      case 'throw':
        throw new AgentDefect('the agent is broken');
      case 'file':
        yield { type: 'artifact', name: said.name, mediaType: 'text/plain', content: Buffer.from(said.text) };
        break;
      default:
        yield said;
    }
  }
  yield failed(`The program ended without an answer: ${child.stderrTail().trim()}`);
}

const CANCELLED: AgentEnd = { type: 'end', reason: 'cancelled', stopReason: 'cancelled' };

function failed(message: string): AgentEnd {
  const error = { code: 'program_failed', message, retryable: true };
  return { type: 'end', reason: 'failed', stopReason: 'error', error };
}

import type {
  Agent,
  AgentEnd,
  AgentEvent,
  AttributedMessage,
  TurnHost,
  TurnInput,
} from '../../../server/agents/agent.ts';
import { labelledTranscript } from '../../../server/agents/prompt/labelled-transcript.ts';
import { type Child, startChild } from '../../../server/processes/child.ts';
import { cleanEnvironment } from '../../../server/processes/environment.ts';
import type { ProcessRegistry } from '../../../server/processes/registry.ts';
import type { Asked, Given, Reply, Said } from './protocol.ts';
import type { ScriptedSettings } from './settings.ts';

const MAX_LINE_BYTES = 100_000;

/** Starts its program for every turn, hands it what it has not seen, and passes on what it says. */
export class ScriptedAgent implements Agent {
  readonly traits;
  readonly #program: string;
  readonly #settings: ScriptedSettings;
  readonly #processes: ProcessRegistry;

  constructor(program: string, settings: ScriptedSettings, processes: ProcessRegistry) {
    this.traits = { steers: false, ownsContext: true, ownsTools: true, reattaches: settings.reattaches === true };
    this.#program = program;
    this.#settings = settings;
    this.#processes = processes;
  }

  async *run(turn: TurnInput, host: TurnHost, signal: AbortSignal): AsyncIterable<AgentEvent> {
    const child = await startChild({
      command: process.execPath,
      args: [this.#program],
      env: cleanEnvironment(process.env),
      cwd: await host.workspace(),
      signal,
      registry: this.#processes,
      maxLineBytes: MAX_LINE_BYTES,
      graceMs: 500,
    });
    try {
      await child.write(`${JSON.stringify(this.#given(turn, host))}\n`);
      yield* converse(child, host);
    } catch (error) {
      if (error instanceof AgentDefect) throw error;
      yield signal.aborted ? CANCELLED : failed((error as Error).message);
    } finally {
      await child.stop();
    }
  }

  #given({ input, unseen, history, summary, state, resumed }: TurnInput, host: TurnHost): Given {
    const earlier = history.filter(({ seq }) => seq !== input.seq);
    return {
      folder: this.#settings.folder,
      script: input.text,
      unseen: toText(unseen.summary, unseen.messages),
      everything: toText(summary, earlier),
      state,
      resumed,
      endpoint: host.toolEndpoint(),
    };
  }
}

function toText(summary: string | null, messages: readonly AttributedMessage[]): string {
  return [summary ?? [], labelledTranscript(messages)].flat().join('\n');
}

/** What the agent itself gets wrong, instead of its program. */
class AgentDefect extends Error {}

async function* converse(child: Child, host: TurnHost): AsyncGenerator<AgentEvent> {
  for await (const line of child.lines) {
    const said: Said = JSON.parse(line);
    switch (said.type) {
      case 'throw':
        throw new AgentDefect('the agent is broken');
      case 'asked':
        void answer(child, said.number, hear(host, said.asked));
        break;
      case 'file':
        yield { type: 'artifact', name: said.name, mediaType: 'text/plain', content: Buffer.from(said.text) };
        break;
      default:
        yield said;
    }
  }
  yield failed(`The program ended without an answer: ${child.stderrTail().trim()}`);
}

function hear(host: TurnHost, asked: Asked): Promise<unknown> {
  switch (asked.type) {
    case 'approve':
      return host.approve(asked.call);
    case 'ask':
      return host.ask(asked.id, asked.question);
    default:
      return host.openWork({ title: asked.title, description: asked.title, run: () => doWork(asked.title) });
  }
}

async function* doWork(title: string): AsyncGenerator<string> {
  yield `${title} is done.`;
}

/** No answer comes when the turn is stopped before. */
async function answer(child: Child, number: number, reply: Promise<unknown>): Promise<void> {
  const line: Reply = { number, reply: await reply.catch(() => null) };
  await child.write(`${JSON.stringify(line)}\n`).catch(() => undefined);
}

const CANCELLED: AgentEnd = { type: 'end', reason: 'cancelled', stopReason: 'cancelled' };

function failed(message: string): AgentEnd {
  const error = { code: 'program_failed', message, retryable: true };
  return { type: 'end', reason: 'failed', stopReason: 'error', error };
}

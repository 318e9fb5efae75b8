import type { Attachable } from '../../../contract/files.ts';
import type { Model, ModelMessage, ModelRequest } from '../../models/types.ts';
import type {
  AgentAdapter,
  AgentEnd,
  AgentEvent,
  AttributedMessage,
  DelegationWish,
  SeenRequest,
  SpokenStep,
  TurnInput,
} from '../adapter.ts';
import { estimateMessages, estimateTokens } from '../prompt/estimate-tokens.ts';
import { readAs, readStep } from '../prompt/reader.ts';
import { buildSystemPrompt } from '../prompt/system-prompt.ts';
import type { ResolvedAgent } from '../resolved-agent.ts';
import type { Attachments } from './attachments.ts';
import { Step } from './step.ts';

/**
 * An agent whose words come from a model. One step is one request and the tool calls it asks for; a further step follows
 * when tools have answered, when delegates have, or when the person steered.
 */
export class ChatAgent implements AgentAdapter {
  readonly canSteer = true;
  readonly #speaker: ResolvedAgent;
  readonly #model: Model;
  readonly #attachments: Attachments;

  constructor(speaker: ResolvedAgent, model: Model, attachments: Attachments) {
    this.#speaker = speaker;
    this.#model = model;
    this.#attachments = attachments;
  }

  async *take(input: TurnInput, signal: AbortSignal): AsyncIterable<AgentEvent> {
    const talk = new Talk(this.#speaker, input, await this.#attachments.withTexts(input.history));
    const system = this.#system(input);
    const wishes: DelegationWish[] = [];
    await talk.takeUp(input);
    if (signal.aborted) return yield STOPPED;
    for (let number = input.steps.length; ; number++) {
      const refused = await input.mayStep(number);
      if (refused) return yield refused;
      const request = this.#request(system, await this.#read(talk), input);
      yield { type: 'seen', request: describeRequest(request, this.#speaker.chat.model) };
      const step = new Step(hasNoTools(input), input.delegates?.filter() ?? null);
      for await (const event of this.#model.stream(request, signal)) {
        const seen = step.read(event);
        if (seen) yield seen;
      }
      const { rest, end } = step.end();
      if (rest) yield { type: 'text', text: rest };
      if (end.reason !== 'complete') return yield end;
      wishes.push(...step.wishes());
      const goesOn = await this.#goOn(input, talk, step, wishes);
      if (signal.aborted) return yield STOPPED;
      if (goesOn === 'stopped') return yield STOPPED_BY_PERSON;
      if (!goesOn) return yield end;
    }
  }

  /** What a step leads to: tools first, then delegates once it has finished speaking, then what the person added. */
  async #goOn(input: TurnInput, talk: Talk, step: Step, wishes: DelegationWish[]): Promise<boolean | 'stopped'> {
    if (step.calls.length > 0) {
      talk.addStep(await input.tools.carryOut(step.requested()));
      talk.settle(await this.#attachments.withTexts(await input.steer()));
      return true;
    }
    if (wishes.length > 0) {
      const answers = await input.delegates!.follow(wishes.splice(0));
      if (answers) talk.settle(answers);
      return answers ? true : 'stopped';
    }
    const added = await this.#attachments.withTexts(await input.steer());
    talk.settle(added);
    return added.length > 0;
  }

  async #read(talk: Talk): Promise<readonly ModelMessage[]> {
    return talk.holdsFiles ? this.#attachments.withImages(talk.messages()) : talk.messages();
  }

  #system(input: TurnInput): string {
    const { tools, delegates, textOnly: guest, othersSpoke, askedBy, broughtBy } = input;
    return buildSystemPrompt(this.#speaker, {
      tools: tools.offered,
      skills: tools.skills,
      agents: tools.agents,
      canMessage: tools.agents.length > 0,
      delegates: delegates?.agents ?? null,
      guest,
      othersSpoke,
      askedBy,
      broughtBy,
    });
  }

  #request(system: string, messages: readonly ModelMessage[], { tools, textOnly }: TurnInput): ModelRequest {
    const { temperature, maxTokens, reasoningEffort } = this.#speaker.chat;
    return {
      system,
      messages,
      tools: textOnly ? [] : tools.offered,
      ...(temperature !== undefined && { temperature }),
      ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
      ...(reasoningEffort !== undefined && { reasoningEffort }),
    };
  }
}

function hasNoTools({ textOnly, tools }: TurnInput): boolean {
  return textOnly || tools.offered.length === 0;
}

const STOPPED: AgentEnd = { type: 'end', reason: 'cancelled', stopReason: 'cancelled' };
const STOPPED_BY_PERSON: AgentEnd = { type: 'end', reason: 'complete', stopReason: 'limit_stop' };

/** What the model reads: the transcript, then the steps since the agent's last stored message. */
class Talk {
  readonly #reader: string;
  readonly #how: { textOnly: boolean; takes: readonly Attachable[] };
  readonly #settled: ModelMessage[];
  #steps: SpokenStep[] = [];
  holdsFiles: boolean;

  constructor(reader: ResolvedAgent, input: TurnInput, history: readonly AttributedMessage[]) {
    this.#reader = reader.agentId;
    this.#how = { textOnly: input.textOnly, takes: reader.chat.attachments };
    this.#settled = readAs(this.#reader, history, input.summary, this.#how);
    this.#steps = [...input.steps];
    this.holdsFiles = history.some(hasFiles);
  }

  /** Finishes what the server stopped in the middle of. */
  async takeUp({ tools }: TurnInput): Promise<void> {
    const last = this.#steps.at(-1);
    if (last && last.calls.length > 0) this.#steps[this.#steps.length - 1] = await tools.takeUp(last);
  }

  addStep(step: SpokenStep): void {
    this.#steps.push(step);
  }

  /** What was said meanwhile is in the transcript now, the agent's own steps included. */
  settle(added: readonly AttributedMessage[]): void {
    if (added.length === 0) return;
    this.#settled.push(...readAs(this.#reader, added, null, this.#how));
    this.holdsFiles ||= added.some(hasFiles);
    this.#steps = [];
  }

  /** Some models would go on with an assistant's words instead of answering them. */
  messages(): ModelMessage[] {
    const messages = [...this.#settled, ...this.#steps.flatMap(readStep)];
    return messages.at(-1)?.role === 'assistant' ? [...messages, YOUR_TURN] : messages;
  }
}

function hasFiles({ files }: AttributedMessage): boolean {
  return files !== undefined;
}

const YOUR_TURN: ModelMessage = {
  role: 'user',
  text: '[Those you asked have answered. Go on from what they said: answer, or ask further.]',
};

function describeRequest(request: ModelRequest, model: string): SeenRequest {
  return {
    system: request.system,
    model,
    tools: request.tools.map((tool) => tool.name),
    estimatedTokens: estimateTokens(request.system) + estimateMessages(request.messages),
  };
}

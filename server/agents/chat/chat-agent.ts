import type { Attachable } from '../../../contract/files.ts';
import type { Model, ModelMessage, ModelRequest } from '../../models/types.ts';
import type {
  Agent,
  AgentEnd,
  AgentEvent,
  AttributedMessage,
  CompletionRequest,
  DelegationRequest,
  SeenRequest,
  SpokenStep,
  Summary,
  TurnHost,
  TurnInput,
} from '../agent.ts';
import type { Attachments } from '../attachments.ts';
import { spellOut } from '../prompt/attached-files.ts';
import { alternateDelegated, frameInput } from '../prompt/delegated-work.ts';
import { estimateMessages, estimateTokens, estimateTools } from '../prompt/estimate-tokens.ts';
import { senderFraming } from '../prompt/framing.ts';
import { plainTools } from '../prompt/plain-tools.ts';
import { readAs, readStep } from '../prompt/reader.ts';
import { buildSystemPrompt } from '../prompt/system-prompt.ts';
import type { ResolvedAgent } from '../resolved-agent.ts';
import { complete } from './complete.ts';
import { passesThreshold, tokensToKeep, tokensToKeepAfterOverflow } from './context-window.ts';
import type { ChatSettings } from './settings.ts';
import { OVERFLOW, Step } from './step.ts';
import { summarise } from './summarise.ts';

/**
 * An agent whose words come from a model. One step is one request and the tool calls it asks for; a further step follows
 * when tools have answered, when delegates have, or when the person steered.
 */
export class ChatAgent implements Agent {
  readonly traits = { steers: true, ownsContext: false, ownsTools: false, reattaches: false };
  readonly #agent: ResolvedAgent<ChatSettings>;
  readonly #model: Model;
  readonly #attachments: Attachments;

  constructor(agent: ResolvedAgent<ChatSettings>, model: Model, attachments: Attachments) {
    this.#agent = agent;
    this.#model = model;
    this.#attachments = attachments;
  }

  /** A history that does not fit the model is compacted: before the first request, or when the model refuses it. */
  async *run(turn: TurnInput, host: TurnHost, signal: AbortSignal): AsyncIterable<AgentEvent> {
    const { settings } = this.#agent;
    const fixed = this.#fixedTokens(turn, host);
    const isOver = passesThreshold(settings, turn, fixed);
    const input = (isOver && (await host.compact(tokensToKeep(settings, fixed)))) || turn;
    const { end, mayRestart } = yield* this.#answer(input, host, signal);
    if (end.stopReason !== OVERFLOW || !mayRestart || signal.aborted) return yield end;
    const smaller = await host.compact(tokensToKeepAfterOverflow(settings, input, fixed));
    if (!smaller) return yield end;
    yield (yield* this.#answer(smaller, host, signal)).end;
  }

  /** Half the window for the transcript leaves room for the instructions, the earlier summary and the answer. */
  async summarise(
    earlier: string | null,
    messages: readonly AttributedMessage[],
    signal: AbortSignal,
  ): Promise<Summary> {
    const { contextWindow, attachments } = this.#agent.settings;
    const filled = await this.#attachments.withTexts(messages);
    const spelled = filled.map((message) => spellOut(message, attachments));
    return summarise(this.#model, earlier, spelled, Math.floor(contextWindow / 2), signal);
  }

  complete(request: CompletionRequest, signal: AbortSignal): Promise<string> {
    return complete(this.#model, request, signal);
  }

  /** About how many tokens a request holds besides the history: prompt, tools, framing. */
  #fixedTokens(turn: TurnInput, host: TurnHost): number {
    const prompt = estimateTokens(this.#system(turn, host)) + estimateTokens(senderFraming(turn) ?? '');
    return prompt + (turn.textOnly ? 0 : estimateTools(host.tools.offered));
  }

  async *#answer(
    turn: TurnInput,
    host: TurnHost,
    signal: AbortSignal,
  ): AsyncGenerator<AgentEvent, { end: AgentEnd; mayRestart: boolean }> {
    const transcript = new ModelTranscript(this.#agent, turn, await this.#attachments.withTexts(turn.history));
    let { offered } = host.tools;
    let system = this.#system(turn, host);
    const wishes: DelegationRequest[] = [];
    const ended = (end: AgentEnd) => ({ end, mayRestart: false });
    await transcript.takeUp(host);
    if (signal.aborted) return ended(STOPPED);
    for (let number = turn.steps.length; ; number++) {
      const refused = await host.mayStep(number);
      if (refused) return ended(refused);
      if (host.tools.offered !== offered) {
        ({ offered } = host.tools);
        system = this.#system(turn, host);
      }
      const request = this.#request(system, await this.#messagesOf(transcript), turn, host);
      yield { type: 'seen', request: describeRequest(request, this.#agent.model) };
      const step = new Step(hasNoTools(turn, host), host.delegates?.filter() ?? null);
      let isSilent = true;
      for await (const event of this.#model.stream(request, signal)) {
        const seen = step.read(event);
        if (seen && seen.type !== 'usage' && seen.type !== 'retry') isSilent = false;
        if (seen) yield seen;
      }
      const { rest, end } = step.end();
      if (rest) yield { type: 'text', text: rest };
      if (end.reason !== 'complete') return { end, mayRestart: isSilent && !rest && !transcript.hasSteps };
      wishes.push(...step.wishes());
      const goesOn = await this.#goOn(host, transcript, step, wishes);
      if (signal.aborted) return ended(STOPPED);
      if (goesOn === 'stopped') return ended(STOPPED_BY_PERSON);
      if (!goesOn) return ended(end);
    }
  }

  /** What a step leads to: tools first, then delegates once it has finished speaking, then what the person added. */
  async #goOn(
    host: TurnHost,
    transcript: ModelTranscript,
    step: Step,
    wishes: DelegationRequest[],
  ): Promise<boolean | 'stopped'> {
    if (step.calls.length > 0) {
      transcript.addStep(await host.tools.carryOut(step.requested()));
      transcript.settle(await this.#attachments.withTexts(await host.steer()));
      return true;
    }
    if (wishes.length > 0) {
      const answers = await host.delegates!.follow(wishes.splice(0));
      if (answers) transcript.settle(answers);
      return answers ? true : 'stopped';
    }
    const added = await this.#attachments.withTexts(await host.steer());
    transcript.settle(added);
    return added.length > 0;
  }

  async #messagesOf(transcript: ModelTranscript): Promise<readonly ModelMessage[]> {
    return transcript.holdsFiles ? this.#attachments.withImages(transcript.messages()) : transcript.messages();
  }

  #system({ textOnly: guest, othersSpoke }: TurnInput, host: TurnHost): string {
    const { tools, delegates, surroundings } = host;
    return buildSystemPrompt(this.#agent, {
      tools: tools.offered,
      starting: tools.starting,
      skills: tools.skills,
      artifactItems: surroundings.artifacts,
      hasMoreArtifacts: surroundings.hasMoreArtifacts,
      messageContext: surroundings.messageContext,
      panels: surroundings.panels,
      knowledge: surroundings.knowledge,
      agents: tools.agents,
      canMessage: tools.agents.length > 0,
      delegates: delegates?.agents ?? null,
      guest,
      othersSpoke,
    });
  }

  #request(
    system: string,
    messages: readonly ModelMessage[],
    { textOnly, hops }: TurnInput,
    { tools }: TurnHost,
  ): ModelRequest {
    const { temperature, maxTokens, reasoningEffort } = this.#agent.settings;
    return {
      system,
      messages,
      tools: textOnly ? [] : plainTools(tools.offered),
      hops: hops + 1,
      ...(temperature !== undefined && { temperature }),
      ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
      ...(reasoningEffort !== undefined && { reasoningEffort }),
    };
  }
}

function hasNoTools({ textOnly }: TurnInput, { tools }: TurnHost): boolean {
  return textOnly || tools.offered.length === 0;
}

const STOPPED: AgentEnd = { type: 'end', reason: 'cancelled', stopReason: 'cancelled' };
const STOPPED_BY_PERSON: AgentEnd = { type: 'end', reason: 'complete', stopReason: 'limit_stop' };

/** What the model reads: the transcript, then the steps since the agent's last stored message. */
class ModelTranscript {
  readonly #reader: string;
  readonly #how: { textOnly: boolean; takes: readonly Attachable[] };
  readonly #settled: ModelMessage[];
  #steps: SpokenStep[] = [];
  holdsFiles: boolean;

  constructor(reader: ResolvedAgent<ChatSettings>, input: TurnInput, history: readonly AttributedMessage[]) {
    this.#reader = reader.agentId;
    this.#how = { textOnly: input.textOnly, takes: reader.settings.attachments };
    this.#settled = frameInput(readAs(this.#reader, history, input.summary, this.#how), senderFraming(input));
    this.#steps = [...input.steps];
    this.holdsFiles = history.some(hasFiles);
  }

  /** Finishes what the server stopped in the middle of. */
  async takeUp({ tools }: TurnHost): Promise<void> {
    const last = this.#steps.at(-1);
    if (last && last.calls.length > 0) this.#steps[this.#steps.length - 1] = await tools.takeUp(last);
  }

  /** Whether the agent has done something that is not stored yet. */
  get hasSteps(): boolean {
    return this.#steps.length > 0;
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
    const messages = alternateDelegated([...this.#settled, ...this.#steps.flatMap(readStep)]);
    return messages.at(-1)?.role === 'assistant' ? [...messages, GO_ON] : messages;
  }
}

function hasFiles({ files }: AttributedMessage): boolean {
  return files !== undefined;
}

const GO_ON: ModelMessage = { role: 'user', text: '[Continue from here.]' };

function describeRequest(request: ModelRequest, model: string): SeenRequest {
  return {
    system: request.system,
    model,
    tools: request.tools.map((tool) => tool.name),
    estimatedTokens: estimateTokens(request.system) + estimateTools(request.tools) + estimateMessages(request.messages),
  };
}

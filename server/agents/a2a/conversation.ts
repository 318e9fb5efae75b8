import { hash } from 'node:crypto';
import type { Message, StreamResponse } from '@a2a-js/sdk';
import { say } from '../../../contract/texts.ts';
import { type TurnError, toTurnError } from '../../../contract/turns.ts';
import { FetchFailure } from '../../tools/guarded-fetch-failure.ts';
import { type AgentDeps, type AgentEnd, type AttachedFile, ServerStopping } from '../agent.ts';
import type { ResolvedAgent } from '../resolved-agent.ts';
import { type Opening, StateLost, TextAgentFailure, type TextConversation, type TextEvent } from '../text-agent.ts';
import { followTask } from './follow-task.ts';
import { filesToSend, type SentFile, toMessage } from './outgoing.ts';
import { type AnnounceWait, isAway, PeerAway } from './patient-fetch.ts';
import { connect, type Peer } from './peer.ts';
import { ResumedText } from './resumed-text.ts';
import { followAnswered, sendMessage } from './send-message.ts';
import type { A2aSettings } from './settings.ts';
import { withinIdleTime } from './silence.ts';
import { parseState, type State } from './state.ts';
import { type Outcome, TaskReader } from './task-reader.ts';
import { Workflows } from './workflows.ts';

/** How long a peer is waited for when it is told to stop. */
const CANCEL_MS = 2000;

export async function openConversation(
  agent: ResolvedAgent<A2aSettings>,
  deps: AgentDeps,
  opening: Opening,
): Promise<TextConversation> {
  const { host, signal, state, turn } = opening;
  const hasTask = turn.resumed && parseState(state).taskId !== '';
  const announce: AnnounceWait = (code, waitMs) => host.announceRetry(code, waitMs);
  try {
    return new A2aConversation(
      agent,
      deps,
      opening,
      await connect(agent.settings, deps, { signal, hasTask, announce }),
    );
  } catch (error) {
    throw hasTask && isAway(error) ? new StateLost() : describeFailure(agent, error);
  }
}

/** The conversation of one session with a peer, for one turn. */
class A2aConversation implements TextConversation {
  readonly #agent: ResolvedAgent<A2aSettings>;
  readonly #deps: AgentDeps;
  readonly #opening: Opening;
  readonly #peer: Peer;
  readonly #workflows: Workflows;
  /** Of the message to answer, those that go along with it. */
  readonly #files: readonly AttachedFile[];
  /** Ends every request that is under way. */
  readonly #closed = new AbortController();
  #state: State;
  /** Of the turn that goes on after a restart: nothing is sent, the task is followed. */
  #isToReattach: boolean;
  /** Of a task that the peer may be working on. */
  #openTaskId = '';

  constructor(agent: ResolvedAgent<A2aSettings>, deps: AgentDeps, opening: Opening, peer: Peer) {
    this.#agent = agent;
    this.#deps = deps;
    this.#opening = opening;
    this.#peer = peer;
    this.#state = parseState(opening.state);
    this.#isToReattach = opening.turn.resumed;
    this.#files = filesToSend(opening.turn.input.files ?? [], peer.takes);
    const { idleMs } = agent.settings;
    this.#workflows = new Workflows({ peer, idleMs, maxFileBytes: deps.limits().fileBytes });
  }

  async *prompt(text: string): AsyncGenerator<TextEvent, AgentEnd, void> {
    const reader = new TaskReader(this.#deps.limits().fileBytes);
    const signal = AbortSignal.any([this.#opening.signal, this.#closed.signal]);
    try {
      const events = this.#isToReattach
        ? this.#reattach(reader, signal)
        : this.#send(await this.#firstMessage(text), reader, signal);
      return yield* this.#follow(events, reader, signal);
    } catch (error) {
      const failure = describeFailure(this.#agent, error);
      if (reader.taskId !== '' && isAway(error) && failure instanceof TextAgentFailure) return lostSight(failure);
      throw failure;
    }
  }

  carries({ fileId }: AttachedFile): boolean {
    return this.#files.some((file) => file.fileId === fileId);
  }

  /** A server that stops leaves the task to the peer: it is taken up again after the restart. */
  async interrupt(): Promise<void> {
    if (!(this.#opening.signal.reason instanceof ServerStopping)) await this.#cancelTask();
    this.#closed.abort();
  }

  async close(broken: boolean): Promise<void> {
    if (broken && !this.#opening.signal.aborted) await this.#cancelTask();
    this.#closed.abort();
    this.#workflows.ended();
  }

  async *#follow(
    first: AsyncGenerator<StreamResponse>,
    reader: TaskReader,
    signal: AbortSignal,
  ): AsyncGenerator<TextEvent, AgentEnd, void> {
    let events = first;
    const resumed = new ResumedText(this.#isToReattach ? this.#opening.turn.said : '');
    this.#isToReattach = false;
    for (;;) {
      for await (const event of this.#inTime(events)) {
        const read = reader.take(event);
        yield* this.#noteTask(reader);
        for (const each of read) yield* resumed.take(each);
        yield* this.#openWorkflows(reader);
        if (reader.outcome) break;
      }
      const { outcome } = reader;
      if (outcome && outcome.kind !== 'asks') return this.#end(outcome);
      if (outcome) {
        const answer = yield* this.#ask(outcome);
        if (answer === null) return await this.#declined(reader);
        events = yield* this.#answerTask(reader, outcome, answer, signal);
      } else if (reader.taskId === '') return BROKEN_OFF;
      else events = followTask(this.#peer, reader.taskId, signal);
    }
  }

  /** The owner of the agent can set how long it may tell nothing new. */
  #inTime(events: AsyncGenerator<StreamResponse>): AsyncGenerator<StreamResponse> {
    const { idleMs } = this.#agent.settings;
    const { waitsUntil } = this.#peer;
    return idleMs === undefined ? events : withinIdleTime(events, { ms: idleMs, waitsUntil });
  }

  /** What is needed to go on with the task after a restart, as soon as it is known. */
  *#noteTask({ taskId, contextId }: TaskReader): Generator<TextEvent> {
    if (taskId !== '') this.#openTaskId = taskId;
    if (taskId === this.#state.taskId && contextId === this.#state.contextId) return;
    if (taskId !== '' && this.#state.contextId !== '' && contextId !== this.#state.contextId) throw new StateLost();
    this.#state = { contextId, taskId: taskId || this.#state.taskId, opened: [], answered: [] };
    yield this.#stateEvent();
  }

  #stateEvent(): TextEvent {
    return { type: 'state', token: JSON.stringify(this.#state) };
  }

  /** A peer that does not know the task any more leaves open what became of it. */
  async *#reattach(reader: TaskReader, signal: AbortSignal): AsyncGenerator<StreamResponse> {
    const { taskId, contextId } = this.#state;
    if (taskId === '') throw new StateLost();
    Object.assign(reader, { taskId, contextId });
    const events = followTask(this.#peer, taskId, signal);
    const first = await events.next().catch((error) => Promise.reject(isAway(error) ? error : new StateLost()));
    if (!first.done) yield first.value;
    yield* events;
  }

  async #firstMessage(text: string): Promise<Message> {
    const { instructions, turn } = this.#opening;
    const { textOnly, unseen } = turn;
    const hasOthers = unseen.messages.length > 0 || unseen.summary !== null;
    const isNew = this.#state.contextId === '';
    const frames = textOnly || hasOthers || (isNew && this.#agent.systemPrompt !== null);
    const messageId = hash('sha256', `${turn.turnId}\n${this.#openTaskId}`, 'hex').slice(0, 32);
    const { contextId } = this.#state;
    const texts = frames ? [instructions, text] : [text];
    return toMessage({ messageId, contextId, taskId: '', texts, files: await this.#readFiles() });
  }

  async #readFiles(): Promise<SentFile[]> {
    const read = this.#files.map(async (file) => ({ ...file, content: await this.#deps.attachments.contentOf(file) }));
    return (await Promise.all(read)).flatMap(({ content, ...file }) => (content ? { ...file, content } : []));
  }

  #send(message: Message, reader: TaskReader, signal: AbortSignal): AsyncGenerator<StreamResponse> {
    return sendMessage(this.#peer, { message, reader, signal, hops: this.#opening.turn.hops + 1 });
  }

  async *#ask({
    id,
    question,
    isSignIn,
  }: Extract<Outcome, { kind: 'asks' }>): AsyncGenerator<TextEvent, string | null> {
    yield { type: 'status', text: null };
    const { displayName: agent } = this.#agent;
    const words = question || say(isSignIn ? 'question.signIn' : 'question.input', { agent }).message;
    const answer = await this.#opening.host.ask(this.#questionId(id), { question: words.slice(0, 4000) });
    if (answer === null && !this.#opening.signal.aborted) yield { type: 'text', text: words };
    return answer && (answer.text ?? JSON.stringify(answer.values ?? {}));
  }

  #questionId(id: string): string {
    return `${this.#state.taskId}/${id || this.#state.answered.length}`;
  }

  /** What was sent is on disk first: after a restart, an answer is not sent again. */
  async *#answerTask(
    reader: TaskReader,
    { id }: Extract<Outcome, { kind: 'asks' }>,
    answer: string,
    signal: AbortSignal,
  ): AsyncGenerator<TextEvent, AsyncGenerator<StreamResponse>> {
    const { taskId, contextId } = reader;
    const question = this.#questionId(id);
    reader.goOn();
    if (this.#state.answered.includes(question)) return followAnswered(this.#peer, taskId, signal);
    this.#state = { ...this.#state, answered: [...this.#state.answered, question] };
    yield this.#stateEvent();
    const messageId = hash('sha256', `${this.#opening.turn.turnId}\n${question}`, 'hex').slice(0, 32);
    return this.#send(toMessage({ messageId, contextId, taskId, texts: [answer] }), reader, signal);
  }

  async #declined({ taskId }: TaskReader): Promise<AgentEnd> {
    this.#openTaskId = taskId;
    await this.#cancelTask();
    return { type: 'end', reason: 'complete', stopReason: 'declined' };
  }

  async *#openWorkflows(reader: TaskReader): AsyncGenerator<TextEvent> {
    const found = reader.takeWorkflows().filter(({ key }) => !this.#state.opened.includes(key));
    if (found.length === 0 || this.#opening.turn.textOnly) return;
    const opened = await this.#workflows.open(found, this.#opening.host);
    if (opened.length === 0) return;
    this.#state = { ...this.#state, opened: [...this.#state.opened, ...opened] };
    yield this.#stateEvent();
  }

  #end(outcome: Exclude<Outcome, { kind: 'asks' }>): AgentEnd {
    this.#openTaskId = '';
    switch (outcome.kind) {
      case 'complete':
        return { type: 'end', reason: 'complete', stopReason: 'stop' };
      case 'cancelled':
        return { type: 'end', reason: 'cancelled', stopReason: 'cancelled_by_agent' };
      case 'rejected':
      case 'failed':
        return failed(this.#agent, outcome.kind, outcome.reason);
      default:
        return outcome satisfies never;
    }
  }

  async #cancelTask(): Promise<void> {
    const id = this.#openTaskId;
    this.#openTaskId = '';
    if (id === '') return;
    const signal = AbortSignal.timeout(CANCEL_MS);
    await this.#peer.client.cancelTask({ tenant: '', id, metadata: undefined }, { signal }).catch(() => undefined);
  }
}

/** The peer ended its answer without a task and without a word. */
const BROKEN_OFF: AgentEnd = {
  type: 'end',
  reason: 'failed',
  stopReason: 'error',
  error: toTurnError('agent_failed', say('agent_failed'), true),
};

function failed({ displayName: agent }: ResolvedAgent, kind: 'failed' | 'rejected', reason: string): AgentEnd {
  const text =
    reason === '' ? say('agent_failed') : say(`agent_${kind}.reason`, { agent, reason: reason.slice(0, 1000) });
  return { type: 'end', reason: 'failed', stopReason: 'error', error: toTurnError(`agent_${kind}`, text, true) };
}

/** What a peer or the network says, in words that name the agent. */
function describeFailure({ displayName: agent }: ResolvedAgent, error: unknown): unknown {
  if (error instanceof TextAgentFailure || error instanceof StateLost) return error;
  if (error instanceof PeerAway) return new TextAgentFailure(awayError(agent, error));
  const reason = (error as Error).message.slice(0, 1000);
  const isReached = !(error instanceof FetchFailure);
  const text = say(isReached ? 'agent_failed.reason' : 'agent_unreachable', { agent, reason });
  return new TextAgentFailure(toTurnError(isReached ? 'agent_failed' : 'agent_unreachable', text, true));
}

function awayError(agent: string, { code, message: reason, askedMs }: PeerAway): TurnError {
  if (code === 'agent_unreachable') return toTurnError(code, say(code, { agent, reason }), true);
  const seconds = Math.ceil((askedMs ?? 0) / 1000);
  return toTurnError(code, say(seconds > 0 ? 'agent_busy.wait' : 'agent_busy', { agent, seconds }), true);
}

/** The peer has a task and cannot be asked about it any more. */
function lostSight({ error }: TextAgentFailure): AgentEnd {
  return { type: 'end', reason: 'interrupted', stopReason: 'agent_unreachable', error };
}

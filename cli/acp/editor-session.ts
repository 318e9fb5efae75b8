import {
  type AgentContext,
  type ClientCapabilities,
  type ContentBlock,
  methods,
  type PromptResponse,
  RequestError,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import type { ParleyClient } from '../../client/parley-client.ts';
import type { Action } from '../../contract/actions.ts';
import type { StreamFrame } from '../../contract/events.ts';
import { newId } from '../../contract/ids.ts';
import type { Session } from '../../contract/sessions.ts';
import type { Turn } from '../../contract/turns.ts';
import { TurnFamily } from '../follow/turn-family.ts';
import { type FrameSource, TurnFrames } from '../follow/turn-frames.ts';
import { answerOf, EditorQuestions } from './editor-questions.ts';
import { replayed } from './history.ts';
import { readPrompt } from './read-prompt.ts';
import { TurnUpdates } from './turn-updates.ts';

export interface EditorDeps {
  readonly client: ParleyClient;
  readonly editor: AgentContext;
  readonly capabilities: ClientCapabilities;
  /** Agents by their id. */
  readonly names: ReadonlyMap<string, string>;
}

const COMMANDS = [
  { name: 'ask', description: 'Ask another agent once, as a guest', input: { hint: 'agent message' } },
  { name: 'compact', description: 'Summarise older messages' },
];

/** A session that is open in an editor. One prompt is under way at a time. */
export class EditorSession {
  readonly #deps: EditorDeps;
  readonly #id: string;
  readonly #questions: EditorQuestions;
  #agentId: string | null;
  #running: { family: TurnFamily; frames: TurnFrames } | null = null;
  /** The editor cannot show forms: what is asked is shown as text, and the next prompt is the answer. */
  #open: { question: Action; turnIds: readonly string[]; after: number } | null = null;

  constructor(deps: EditorDeps, { id, agentId }: Session) {
    this.#deps = deps;
    this.#id = id;
    this.#agentId = agentId;
    this.#questions = new EditorQuestions(deps, id);
  }

  announce(): Promise<void> {
    return this.#tell({ sessionUpdate: 'available_commands_update', availableCommands: COMMANDS });
  }

  /** Everything that was said, as if it were said now. */
  async replay(): Promise<void> {
    const query = { limit: 500 };
    const { messages } = await this.#deps.client.call('listMessages', { sessionId: this.#id, query });
    for (const update of replayed(messages, this.#agentId, this.#deps.names)) await this.#tell(update);
  }

  async switchAgent(agentId: string): Promise<Record<string, never>> {
    await this.#deps.client.call('patchSession', { sessionId: this.#id, body: { agentId } });
    this.#agentId = agentId;
    return {};
  }

  async prompt(blocks: readonly ContentBlock[]): Promise<PromptResponse> {
    if (this.#running) throw RequestError.invalidRequest(undefined, 'The session is busy with another prompt.');
    const { client } = this.#deps;
    const { content, files, guest, command } = await readPrompt(client, blocks);
    if (command === 'compact') return this.#compact();
    if (this.#open) return this.#answer(content);
    const message = { id: newId(), content, ...(files.length > 0 && { files: [...files] }), ...(guest && { guest }) };
    const source: FrameSource = (signal) => client.streamMessage(this.#id, message, { signal });
    return this.#follow(source, new TurnFamily({ messageId: message.id }));
  }

  async cancel(): Promise<void> {
    const turns = this.#running?.family.unsettled ?? [];
    this.#questions.cancel();
    await Promise.all(turns.map(({ id }) => this.#deps.client.call('cancelTurn', { turnId: id }).catch(() => null)));
  }

  /** What runs goes on at the server. */
  close(): void {
    this.#questions.cancel();
    this.#running?.frames.end();
  }

  async #compact(): Promise<PromptResponse> {
    await this.#deps.client.call('compactSession', { sessionId: this.#id });
    await this.#tell(words('Older messages were summarised.'));
    return { stopReason: 'end_turn' };
  }

  async #answer(text: string): Promise<PromptResponse> {
    const { question, turnIds, after } = this.#open!;
    this.#open = null;
    const { client } = this.#deps;
    await client.call('answerAction', { actionId: question.id, body: answerOf(question, text) });
    const source: FrameSource = (signal) => client.sessionEvents(this.#id, { after, signal });
    return this.#follow(source, new TurnFamily({ turnIds }));
  }

  async #follow(source: FrameSource, family: TurnFamily): Promise<PromptResponse> {
    const frames = new TurnFrames(this.#deps.client, this.#id, source);
    this.#running = { family, frames };
    try {
      return await this.#tellAll(frames, family);
    } finally {
      this.#running = null;
      frames.end();
    }
  }

  async #tellAll(frames: TurnFrames, family: TurnFamily): Promise<PromptResponse> {
    const updates = new TurnUpdates(this.#agentId, this.#deps.names);
    let last = 0;
    for await (const frame of frames) {
      if ('seq' in frame) last = frame.seq;
      if (!family.takeIn(frame)) continue;
      for (const update of updates.read(frame)) await this.#tell(update);
      const left = await this.#attend(frame);
      if (left) return this.#leaveOpen(left, family, last);
      if (frame.type === 'delegation.started') frames.watchElsewhere(frame.position);
      if (family.isOver) return toResponse(family.answering);
    }
    throw RequestError.internalError(undefined, 'The session was closed.');
  }

  /** Asks the person in the editor. Gives the question back when the editor has no way to ask it. */
  async #attend(frame: StreamFrame): Promise<Action | null> {
    if (frame.type === 'action.settled') this.#questions.settled(frame.action);
    if (frame.type !== 'action.opened') return null;
    if (frame.action.kind === 'question' && !this.#deps.capabilities.elicitation?.form) return frame.action;
    this.#questions.ask(frame.action);
    return null;
  }

  async #leaveOpen(question: Action, family: TurnFamily, after: number): Promise<PromptResponse> {
    this.#open = { question, turnIds: family.answering.map(({ id }) => id), after };
    const fields = question.question?.fields?.map(({ name, label }) => `\n- ${label ?? name}`).join('') ?? '';
    await this.#tell(words(`\n\n${question.question?.question ?? question.title}${fields}`));
    return { stopReason: 'end_turn' };
  }

  #tell(update: SessionUpdate): Promise<void> {
    return this.#deps.editor.notify(methods.client.session.update, { sessionId: this.#id, update });
  }
}

function words(text: string): SessionUpdate {
  return { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } };
}

/** Of several agents that were addressed, one that failed decides. */
function toResponse(turns: readonly Turn[]): PromptResponse {
  const failed = turns.find(({ state }) => state === 'failed' || state === 'interrupted');
  if (failed)
    throw new RequestError(-32603, failed.error?.message ?? 'The reply failed.', { code: failed.error?.code });
  if (turns.some(({ state }) => state === 'cancelled')) return { stopReason: 'cancelled' };
  return { stopReason: turns.at(-1)?.stopReason === 'length' ? 'max_tokens' : 'end_turn' };
}

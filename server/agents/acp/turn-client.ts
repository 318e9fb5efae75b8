import type {
  CreateElicitationRequest,
  CreateElicitationResponse,
  PromptResponse,
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionUpdate,
} from '@agentclientprotocol/sdk';
import type { AgentDeps, TurnHost } from '../agent.ts';
import type { TextEvent } from '../text-agent.ts';
import { EventQueue } from './event-queue.ts';
import type { OpenSession } from './open-session.ts';
import { Permissions } from './permissions.ts';
import { readUpdate, type Said } from './read-update.ts';
import { ToolCalls } from './tool-calls.ts';
import { TurnFiles } from './turn-files.ts';
import { TurnQuestions } from './turn-questions.ts';
import { TurnTerminals } from './turn-terminals.ts';

export type PromptEvents = EventQueue<TextEvent, PromptResponse>;

export interface TurnClientOptions {
  readonly deps: AgentDeps;
  readonly host: TurnHost;
  readonly session: OpenSession;
  readonly folder: string;
  readonly textOnly: boolean;
}

/** What a program can reach while it answers in a turn: it is heard, and asks for permissions, files and terminals. */
export class TurnClient {
  readonly #session: OpenSession;
  readonly #calls: ToolCalls;
  readonly #permissions: Permissions;
  readonly #questions: TurnQuestions;
  #messageId: string | null = null;
  readonly files: TurnFiles;
  readonly terminals: TurnTerminals;
  #events: PromptEvents | null = null;
  #isPrompted = false;

  constructor({ deps, host, session, folder, textOnly }: TurnClientOptions) {
    const offered = new Set(textOnly ? [] : host.tools.offered.map(({ name }) => name));
    this.#session = session;
    this.#calls = new ToolCalls(offered, (event) => this.#events?.push(event), textOnly);
    this.#permissions = new Permissions({ host, folder, offered, textOnly }, this.#calls);
    this.#questions = new TurnQuestions(host, textOnly);
    this.files = new TurnFiles(folder, this.#permissions, textOnly);
    this.terminals = new TurnTerminals(deps, folder, this.#permissions, textOnly);
  }

  /** What is said from here on belongs to one prompt. */
  listen(): PromptEvents {
    this.#events = new EventQueue();
    this.#isPrompted = true;
    return this.#events;
  }

  /** What comes later belongs to no prompt, and is not shown. */
  endPrompt(): void {
    this.#calls.end();
    this.#isPrompted = false;
    this.#session.late.promptEnded();
  }

  update(update: SessionUpdate): void {
    if (!this.#isPrompted) this.#session.takeLate(update);
    else this.#hear(update);
  }

  #hear(update: SessionUpdate): void {
    this.#session.take(update);
    if (update.sessionUpdate === 'tool_call' || update.sessionUpdate === 'tool_call_update') this.#calls.take(update);
    else this.#tell(update);
  }

  #tell(update: Said): void {
    const messageId = 'messageId' in update ? update.messageId : null;
    if (this.#session.late.isLate(messageId)) return;
    const event = readUpdate(update);
    if (event?.type === 'text' && messageId && messageId !== this.#messageId) {
      if (this.#messageId !== null) this.#events?.push({ type: 'new_message' });
      this.#messageId = messageId;
    }
    if (event) this.#events?.push(event);
  }

  permission(request: RequestPermissionRequest): Promise<RequestPermissionResponse> {
    return this.#permissions.answer(request);
  }

  question(request: CreateElicitationRequest): Promise<CreateElicitationResponse> {
    return this.#questions.answer(request);
  }

  /** What the person is asked is answered as cancelled. */
  cancelRequests(): void {
    this.#permissions.cancel();
    this.#questions.cancel();
  }

  /** Whether silence is to be expected: a tool runs, or the person is asked. */
  get isWaiting(): boolean {
    return this.#calls.isBusy || this.#permissions.isWaiting || this.#questions.isWaiting;
  }

  room(): Promise<void> | undefined {
    return this.#events?.room();
  }

  async end(): Promise<void> {
    this.cancelRequests();
    await this.terminals.end();
  }
}

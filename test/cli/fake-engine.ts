import type { Action, AnswerAction } from '../../contract/actions.ts';
import type { Turn } from '../../contract/turns.ts';
import { AT, aMessage, anAction, aTurn } from '../harness/shapes.ts';
import type { FakeRequest, FakeServer } from './fake-server.ts';

/** Plays the part of the engine for one message. */
export class Engine {
  readonly #server: FakeServer;
  readonly #messageId: string;

  constructor(server: FakeServer, { body }: FakeRequest) {
    this.#server = server;
    this.#messageId = body.id as string;
  }

  queue(...ids: string[]): void {
    for (const id of ids) this.#tell('turn.queued', this.turn(id));
  }

  start(id: string, known: Partial<Turn> = {}): void {
    this.#tell('turn.started', this.turn(id, { state: 'running', startedAt: AT, ...known }));
  }

  say(turnId: string, agentId: string, text: string, part = 0): void {
    const about = { type: 'delta' as const, sessionId: 's', turnId, agentId, after: null, part, kind: 'text' as const };
    this.#server.live({ ...about, offset: 0, text });
  }

  settle(id: string, known: Partial<Turn> = {}): void {
    const turn = this.turn(id, { state: 'complete', startedAt: AT, endedAt: AT, ...known });
    this.#server.append({ type: 'turn.settled', turn, status: 'active', message: null });
  }

  answer(id: string, agentId: string, text: string): void {
    this.start(id, { agentId });
    this.say(id, agentId, text);
    const message = aMessage({ id: `m-${id}`, turnId: id, role: 'assistant', agent: agentId, text });
    this.#server.append({ type: 'message.created', message });
    this.settle(id, { agentId });
  }

  turn(id: string, known: Partial<Turn> = {}): Turn {
    return aTurn({ id, messageId: this.#messageId, ...known });
  }

  #tell(type: 'turn.queued' | 'turn.started', turn: Turn): void {
    const message = aMessage({ id: turn.messageId, turnId: turn.id, text: 'hi' });
    this.#server.append({ type, turn, status: 'working', message });
  }
}

export function playing(server: FakeServer, play: (engine: Engine) => void | Promise<void>): void {
  server.play = (request) => play(new Engine(server, request));
}

export const approval = anAction({
  id: '01990000-0000-7000-8000-00009f3c21ab',
  approval: {
    callId: 'c1',
    tool: 'bash',
    description: 'Run a command.',
    input: '{"command":"ls"}',
    risk: 'execute',
    source: { kind: 'built-in', id: 'bash' },
    capabilities: [],
    folder: null,
  },
});

/** Opens an action and waits for the answer, which settles it. */
export function asking(server: FakeServer, action: Action): Promise<AnswerAction> {
  const { promise, resolve } = Promise.withResolvers<AnswerAction>();
  server.answers.answerAction = ({ body }) => {
    const answered: Action = { ...action, state: 'answered', answer: body as AnswerAction, settledAt: AT };
    server.append({ type: 'action.settled', sessionId: action.sessionId, action: answered });
    resolve(body as AnswerAction);
    return answered;
  };
  server.append({ type: 'action.opened', sessionId: action.sessionId, action });
  return promise;
}

import { expect } from 'vitest';
import { type Gate, text } from '../harness/scripted-script.ts';
import { type AgentsAnswer, answersIn, type ask, ScriptedAgents, type ScriptedAnswer } from './scripted-agents.ts';
import { TestServer, type TestServerOptions } from './test-server.ts';

/** What an agent needs to ask any other, also in a session of the person. */
export const ASKING = { toolAllowlist: ['agents_*', 'sessions_read'], agentAllowlist: null };
/** Asks in a session of its own, and waits for the answer or not. */
export const CREATE = { session: 'create' };
export const ASYNC = { ...CREATE, mode: 'async' };

/** Three who may ask each other. */
export const PEERS: TestServerOptions = {
  agents: [
    { agentId: 'ada', ...ASKING },
    { agentId: 'bob', ...ASKING, delegation: { tags: true } },
    { agentId: 'eve', ...ASKING },
  ],
};

/** Agents who may ask all, some or none of the others, for every reason there is. */
export const OFFICE: TestServerOptions = {
  agents: [
    { agentId: 'ada', ...ASKING, description: 'Plans.' },
    { agentId: 'bob', toolAllowlist: ['todo_*'], approvals: { todo_delete: 'ask' } },
    { agentId: 'eve', ...ASKING, toolAllowlist: ['agents_*', 'sessions_read', 'journal_*'] },
    { agentId: 'wisp/finn', ...ASKING },
    { agentId: 'ghost', uiVisible: false },
    { agentId: 'narrow', ...ASKING, agentAllowlist: ['bob', 'ghost'], agentDenylist: ['eve'] },
    { agentId: 'curt', ...ASKING, agentDenylist: ['bo*'] },
    { agentId: 'boss', ...ASKING, toolAllowlist: ['agents_*', 'todo_list'], delegation: { ceiling: 'self' } },
    { agentId: 'mute', toolAllowlist: [] },
    { agentId: 'broken', chat: { provider: 'openai', model: 'x', apiKey: '${NO_SUCH_KEY}' } },
  ],
  agent: { agentAllowlist: null },
  config: { limits: { queuedPerSession: 1, messageBytes: 20_000 } },
};

/** A lead who hands work to others by tags, and those others. */
export const TEAM: TestServerOptions = {
  agents: [
    { agentId: 'lead', agentAllowlist: null },
    { agentId: 'bob', parentAgentId: 'lead', toolAllowlist: ['todo_*'], approvals: { todo_delete: 'ask' } },
    { agentId: 'team/eve', parentAgentId: 'lead', agentAllowlist: null, delegation: { tags: true } },
    { agentId: 'hidden', uiVisible: false },
    { agentId: 'plain', agentAllowlist: null },
    { agentId: 'caller', agentAllowlist: null, toolAllowlist: ['agents_*'] },
    { agentId: 'once', agentAllowlist: null, delegation: { tags: true, rounds: 1 } },
  ],
};

/** A server, and scripted agents that give each other work. */
export async function startDelegating(
  options: TestServerOptions,
): Promise<{ server: TestServer; scripted: DelegatingAgents }> {
  const server = await TestServer.start(options);
  return { server, scripted: new DelegatingAgents(server) };
}

export class DelegatingAgents extends ScriptedAgents {
  readonly #server: TestServer;

  constructor(server: TestServer) {
    super(server.provider);
    this.#server = server;
  }

  /** Has an agent say its lines in a new session. */
  async begins(agentId: string, ...lines: ScriptedAnswer[]) {
    this.answers(agentId, ...lines);
    const id = await this.#server.open(agentId);
    const { turn } = await this.#server.say(id, 'Go.');
    return { id, turn };
  }

  /** Has an agent ask, thank, and say the rest later; gives back what it was told at once. */
  async asks(by: string, steps: ReturnType<typeof ask>[], ...later: ScriptedAnswer[]) {
    let answers: AgentsAnswer[] = [];
    const note: ScriptedAnswer = (request) => {
      answers = answersIn(request);
      return 'I go on.';
    };
    const { id, turn } = await this.begins(by, steps, note, ...later);
    return { sessionId: id, turnId: turn.id, state: turn.state, answers };
  }

  /** What an agent is told that asks and goes on to the end of its turn. */
  async asked(by: string, ...steps: ReturnType<typeof ask>[]): Promise<AgentsAnswer[]> {
    const { state, answers } = await this.asks(by, steps);
    expect(state).toBe('complete');
    return answers;
  }
}

/** Says something, and the rest once the gate opens. */
export function held({ until }: Gate, rest = ' and done.'): ScriptedAnswer {
  return [...text('So far'), { kind: 'gate', until }, ...text(rest)];
}

/** Content for somebody in a session of its own. */
export function fresh(content = 'Do it.', more: object = {}) {
  return [content, { ...CREATE, ...more }] as const;
}

export function tag(agent: string, task: string): string {
  return `<delegate to="${agent}">${task}</delegate>`;
}

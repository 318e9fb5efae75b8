import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Action, ActionList, AnswerAction } from '../../../contract/actions.ts';
import type { Message, Part } from '../../../contract/messages.ts';
import type { SendMessageInput, Turn } from '../../../contract/turns.ts';
import { scriptedAgent } from '../../harness/agents.ts';
import { Parley, until } from '../../harness/parley.ts';
import { ScriptedProvider } from '../../harness/scripted-provider.ts';
import { ScriptedAgents } from '../../suites/scripted-agents.ts';

/** A program behind an agent, and how it is set up in a folder of its own. */
export interface ProgramUnderTest {
  readonly name: string;
  /** Its kind and its settings, as the definition of an agent has them. */
  readonly definition: object;
  /** Of the server. */
  readonly env: Readonly<Record<string, string>>;
  /** Takes away what the program remembers. */
  forget(): void;
  close(): Promise<void>;
}

/** Real programs take seconds to start, and longer on a busy machine. */
const PATIENCE_MS = 60_000;

/** A server with the agent `prog`, which is the program, and the chat agent `ada`. */
export class Bench {
  readonly program: ProgramUnderTest;
  readonly parley: Parley;
  readonly provider: ScriptedProvider;
  readonly scripted: ScriptedAgents;
  /** Where `prog` works. */
  readonly workspace: string;

  private constructor(program: ProgramUnderTest, parley: Parley, provider: ScriptedProvider, workspace: string) {
    this.program = program;
    this.parley = parley;
    this.provider = provider;
    this.workspace = workspace;
    this.scripted = new ScriptedAgents(provider);
  }

  static async open(program: ProgramUnderTest): Promise<Bench> {
    const provider = await ScriptedProvider.start();
    const workspace = realpathSync(mkdtempSync(path.join(tmpdir(), 'parley-workspace-')));
    const prog = {
      agentId: 'prog',
      displayName: 'Prog',
      description: 'A program.',
      toolAllowlist: ['todo_*'],
      agentAllowlist: ['ada'],
      approvals: { todo_add: 'allow' },
      delegation: { tags: true },
      ...program.definition,
    };
    const ada = scriptedAgent(provider.url, 'ada', {
      toolAllowlist: ['agents_message'],
      agentAllowlist: ['prog'],
      approvals: { agents_message: 'allow' },
    });
    const config = { agents: [prog, ada], tools: { files: { workspaces: { prog: workspace } } } };
    const parley = await Parley.start({ config, env: { ...program.env } });
    return new Bench(program, parley, provider, workspace);
  }

  async close(): Promise<void> {
    await this.parley.stop();
    await this.parley.close();
    await this.provider.close();
    await this.program.close();
    rmSync(this.workspace, { recursive: true, force: true });
  }

  async session(agentId = 'prog'): Promise<string> {
    return (await this.parley.createSession({ agentId })).id;
  }

  async send(sessionId: string, content: string, more: Partial<SendMessageInput> = {}): Promise<Turn> {
    return (await this.parley.send(sessionId, { content, ...more })).turn;
  }

  async say(...message: Parameters<Bench['send']>): Promise<{ turn: Turn; answer: Message | null; text: string }> {
    const { turn, answer } = await this.settled((await this.send(...message)).id);
    return { turn, answer, text: answer?.text ?? '' };
  }

  settled(turnId: string): Promise<{ turn: Turn; answer: Message | null }> {
    return until(
      () => this.parley.ok<{ turn: Turn; answer: Message | null }>('GET', `/api/turns/${turnId}`),
      ({ turn }) => turn.endedAt !== null,
      PATIENCE_MS,
    );
  }

  /** What the session waits for the person to answer. */
  async action(sessionId: string): Promise<Action> {
    const list = await until(
      () => this.parley.ok<ActionList>('GET', `/api/actions?session=${sessionId}`),
      ({ actions }) => actions.length > 0,
      PATIENCE_MS,
    );
    return list.actions[0]!;
  }

  answer({ id }: Action, body: AnswerAction): Promise<Action> {
    return this.parley.ok('POST', `/api/actions/${id}/answer`, body);
  }

  /** Answers whatever is asked until the turn is over. */
  async answerAll(sessionId: string, turnId: string, body: AnswerAction): Promise<Action[]> {
    const answered: Action[] = [];
    for (;;) {
      const { actions } = await this.parley.ok<ActionList>('GET', `/api/actions?session=${sessionId}`);
      for (const action of actions) answered.push(await this.answer(action, body));
      const { turn } = await this.parley.ok<{ turn: Turn }>('GET', `/api/turns/${turnId}`);
      if (turn.endedAt !== null) return answered;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** The session's last partial has this much text. */
  async spoken(sessionId: string): Promise<void> {
    await until(
      () => this.parley.ok<{ partials: unknown[] }>('GET', `/api/sessions/${sessionId}/snapshot`),
      ({ partials }) => partials.length > 0,
      PATIENCE_MS,
    );
  }

  file(name: string): string {
    return path.join(this.workspace, name);
  }

  /** The programs that the server has started and that are not known to have ended. */
  programs(): string[] {
    const folder = path.join(this.parley.home, 'processes');
    return existsSync(folder) ? readdirSync(folder) : [];
  }
}

export function calls(answer: Message | null): Extract<Part, { type: 'tool_call' }>[] {
  return (answer?.parts ?? []).filter((part) => part.type === 'tool_call');
}

export function newFolder(name: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), `parley-${name}-`));
  mkdirSync(folder, { recursive: true });
  return realpathSync(folder);
}

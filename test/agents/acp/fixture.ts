import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Action, ActionList, AnswerAction } from '../../../contract/actions.ts';
import type { Message } from '../../../contract/messages.ts';
import type { Receipt, Turn } from '../../../contract/turns.ts';
import { scriptedAgent } from '../../harness/agents.ts';
import { Ledger } from '../../harness/ledger.ts';
import { Parley, until } from '../../harness/parley.ts';
import { ScriptedProvider } from '../../harness/scripted-provider.ts';

export const PROGRAM = path.join(import.meta.dirname, 'program.ts');

/** The definition of an agent whose program does what it is told; `flags` say what the program lacks or wants. */
export function acpAgent(agentId: string, memory: string, flags: readonly string[] = [], more: object = {}): object {
  const { acp = {}, ...rest } = more as { acp?: object };
  return {
    agentId,
    type: 'acp',
    acp: { command: process.execPath, args: [PROGRAM, memory, ...flags], ...acp },
    toolAllowlist: ['todo_*'],
    agentAllowlist: [],
    approvals: { Read: 'allow', Delete: 'deny', 'fs/*': 'allow', todo_add: 'allow' },
    ...rest,
  };
}

/** A server with ACP agents, and a chat agent called `ada`. */
export class AcpFixture {
  readonly provider: ScriptedProvider;
  readonly parley: Parley;
  readonly ledger = new Ledger();
  /** Where the programs keep what they remember. */
  readonly memory: string;

  private constructor(provider: ScriptedProvider, parley: Parley, memory: string) {
    this.provider = provider;
    this.parley = parley;
    this.memory = memory;
  }

  static async open(agents: (memory: string) => object[], more: object = {}): Promise<AcpFixture> {
    const provider = await ScriptedProvider.start();
    const memory = mkdtempSync(path.join(tmpdir(), 'parley-acp-'));
    const ada = scriptedAgent(provider.url, 'ada', { agentAllowlist: ['pip'], delegation: { tags: true } });
    const parley = await Parley.start({ config: { agents: [ada, ...agents(memory)], ...more } });
    return new AcpFixture(provider, parley, memory);
  }

  async close(): Promise<void> {
    await this.parley.stop();
    await this.parley.close();
    await this.provider.close();
    rmSync(this.memory, { recursive: true, force: true });
  }

  async open(agentId: string): Promise<string> {
    return (await this.ledger.createSession(this.parley, { agentId })).id;
  }

  async send(sessionId: string, content: string, more: object = {}): Promise<Receipt> {
    const { status, body } = await this.ledger.send(this.parley, sessionId, { content, ...more });
    if (status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`);
    return body;
  }

  async say(
    sessionId: string,
    content: string,
    more: object = {},
  ): Promise<{ turn: Turn; text: string; answer: Message | null }> {
    const { turn, answer } = await this.settled((await this.send(sessionId, content, more)).turn.id);
    return { turn, text: answer?.text ?? '', answer };
  }

  async settled(turnId: string): Promise<{ turn: Turn; answer: Message | null }> {
    return until(
      () => this.parley.ok<{ turn: Turn; answer: Message | null }>('GET', `/api/turns/${turnId}`),
      ({ turn }) => turn.endedAt !== null,
      30_000,
    );
  }

  cancel(turnId: string): Promise<unknown> {
    return this.parley.ok('POST', `/api/turns/${turnId}/cancellation`);
  }

  /** Waits until clients can see that the turn has said something. */
  async spoken(sessionId: string): Promise<void> {
    await until(
      () => this.parley.ok<{ partials: unknown[] }>('GET', `/api/sessions/${sessionId}/snapshot`),
      ({ partials }) => partials.length > 0,
    );
  }

  async actions(sessionId: string): Promise<Action[]> {
    return (await this.parley.ok<ActionList>('GET', `/api/actions?session=${sessionId}`)).actions;
  }

  /** What the person is asked, once they are. */
  async asked(sessionId: string): Promise<Action> {
    const [action] = await until(
      () => this.actions(sessionId),
      (actions) => actions.length > 0,
    );
    return action!;
  }

  answer({ id }: Action, body: AnswerAction): Promise<Action> {
    return this.parley.ok('POST', `/api/actions/${id}/answer`, body);
  }

  /** The programs that the server has started and that are not known to have ended. */
  programs(): string[] {
    const folder = path.join(this.parley.home, 'processes');
    return existsSync(folder) ? readdirSync(folder) : [];
  }

  async noProgramsLeft(): Promise<void> {
    await until(
      async () => this.programs(),
      (left) => left.length === 0,
      20_000,
    );
  }

  remembered(name: string): string {
    const file = path.join(this.memory, name);
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  }
}

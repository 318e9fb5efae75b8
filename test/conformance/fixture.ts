import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Message } from '../../contract/messages.ts';
import type { Receipt, Turn } from '../../contract/turns.ts';
import { acpAgent } from '../agents/acp/fixture.ts';
import { scriptedDefinition } from '../agents/cli/scripted/open.ts';
import { scriptedAgent } from '../harness/agents.ts';
import { Ledger } from '../harness/ledger.ts';
import { Parley, until } from '../harness/parley.ts';
import { ScriptedProvider } from '../harness/scripted-provider.ts';
import { RemoteAgents } from './remote-agents.ts';

const PROGRAM = path.join(import.meta.dirname, 'serve.ts');

type Fields = Readonly<Record<string, object>>;

/**
 * A server with agents of every kind: `ada` is a chat agent, `pip` and `rem` are programs, and `rem` reattaches; `ann`
 * speaks ACP; `claude`, `codex` and `pi` speak as the programs of these names do; `far` speaks A2A and `ext` calls back, both
 * from another server.
 */
export class Fixture {
  readonly provider: ScriptedProvider;
  readonly parley: Parley;
  readonly ledger = new Ledger();
  /** Where the programs keep what they remember. */
  readonly memory: string;

  /** The home folder of the server and its programs. */
  readonly #home: string;
  readonly #remote: RemoteAgents;

  private constructor(
    provider: ScriptedProvider,
    parley: Parley,
    folders: { memory: string; home: string },
    remote: RemoteAgents,
  ) {
    const { memory, home } = folders;
    this.#home = home;
    this.#remote = remote;
    this.provider = provider;
    this.parley = parley;
    this.memory = memory;
  }

  /** `more`: of chat agents and programs besides those, by id. */
  static async open(more: { chats?: Fields; programs?: Fields } = {}): Promise<Fixture> {
    const provider = await ScriptedProvider.start();
    const memory = mkdtempSync(path.join(tmpdir(), 'parley-programs-'));
    const home = mkdtempSync(path.join(tmpdir(), 'parley-home-'));
    const program = (agentId: string, more: object) => ({
      agentId,
      type: 'scripted',
      scripted: { folder: memory, ...more },
      toolAllowlist: ['todo_*'],
      agentAllowlist: [],
      approvals: { Read: 'allow', Delete: 'deny', todo_add: 'allow', todo_delete: 'ask' },
    });
    const others = [
      ...Object.entries(more.chats ?? {}).map(([agentId, fields]) => scriptedAgent(provider.url, agentId, fields)),
      ...Object.entries(more.programs ?? {}).map(([agentId, fields]) => ({ ...program(agentId, {}), ...fields })),
    ];
    const ada = scriptedAgent(provider.url, 'ada', { toolAllowlist: ['bash'], approvals: { bash: 'allow' } });
    const remote = await RemoteAgents.start();
    const programs = [program('pip', {}), program('rem', { reattaches: true }), acpAgent('ann', memory)];
    const cli = (['claude', 'codex', 'pi'] as const).map((agentId) => ({
      ...{ agentId, agentAllowlist: [], ...scriptedDefinition(agentId, home) },
    }));
    const agents = [ada, ...programs, ...cli, ...remote.definitions, ...others];
    // A program that is kept between turns would look like one that is left behind.
    const limits = { idleProgramMs: 1 };
    const tools = { bash: { agents: ['ada', 'shell-*'] }, fetch: { allowHosts: remote.hosts } };
    const config = { agents, limits, tools };
    const parley = await Parley.start({ program: PROGRAM, config, env: { HOME: home } });
    return new Fixture(provider, parley, { memory, home }, remote);
  }

  /** In order, so that programs end with the server even where a test has failed. */
  async close(): Promise<void> {
    await this.parley.stop();
    await this.parley.close();
    await this.provider.close();
    await this.#remote.close();
    for (const folder of [this.memory, this.#home]) rmSync(folder, { recursive: true, force: true });
  }

  // biome-ignore lint/suspicious/noExplicitAny: whatever is in the file
  config(): any {
    return JSON.parse(readFileSync(path.join(this.parley.home, 'parley.json'), 'utf8'));
  }

  async open(agentId: string): Promise<string> {
    return (await this.ledger.createSession(this.parley, { agentId })).id;
  }

  async send(sessionId: string, content: string, more: { guest?: string; agent?: string } = {}): Promise<Receipt> {
    const { status, body } = await this.ledger.send(this.parley, sessionId, { content, ...more });
    if (status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`);
    return body;
  }

  /** Sends a message and gives the answer, once the turn is over. */
  async say(...message: Parameters<Fixture['send']>): Promise<{ turn: Turn; text: string }> {
    const { turn, answer } = await this.settled((await this.send(...message)).turn.id);
    return { turn, text: answer?.text ?? '' };
  }

  /** The programs that the server has started and that are not known to have ended. */
  programs(): string[] {
    const folder = path.join(this.parley.home, 'processes');
    return existsSync(folder) ? readdirSync(folder) : [];
  }

  async settled(turnId: string): Promise<{ turn: Turn; answer: Message | null }> {
    return until(
      () => this.parley.ok<{ turn: Turn; answer: Message | null }>('GET', `/api/turns/${turnId}`),
      ({ turn }) => turn.endedAt !== null,
      20_000,
    );
  }
}

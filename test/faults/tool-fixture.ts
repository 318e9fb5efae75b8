import type { Action, ActionList, AnswerAction } from '../../contract/actions.ts';
import type { Message } from '../../contract/messages.ts';
import type { ToolCall, ToolCallList } from '../../contract/tools.ts';
import type { Receipt, Turn } from '../../contract/turns.ts';
import { scriptedAgent } from '../harness/agents.ts';
import { Ledger } from '../harness/ledger.ts';
import { Parley, until } from '../harness/parley.ts';
import { ScriptedProvider } from '../harness/scripted-provider.ts';
import { callAsTold } from '../suites/calling.ts';
import { ShopPlugin } from '../suites/shop-plugin.ts';

/** A server whose agent calls what it is told to, tools whose effects are counted outside of it, and a ledger. */
export class ToolFixture {
  readonly provider: ScriptedProvider;
  readonly shop: ShopPlugin;
  readonly parley: Parley;
  readonly ledger = new Ledger();

  private constructor(provider: ScriptedProvider, shop: ShopPlugin, parley: Parley) {
    this.provider = provider;
    this.shop = shop;
    this.parley = parley;
    provider.script(callAsTold);
  }

  static async open(
    env: Record<string, string> = {},
    toolAllowlist: readonly string[] = ['shop_*', 'ask_user', 'bash'],
  ): Promise<ToolFixture> {
    const provider = await ScriptedProvider.start();
    const shop = await ShopPlugin.open();
    const agent = scriptedAgent(provider.url, 'ada', {
      toolAllowlist,
      toolExposure: 'mixed',
      approvals: { bash: 'allow' },
    });
    const limits = { stepsPerTurn: 3, toolStoredBytes: 3_000_000 };
    const config = { agents: [agent], plugins: ['shop'], limits, tools: { bash: { agents: ['ada'] } } };
    return new ToolFixture(provider, shop, await Parley.start({ home: shop.home, config, env }));
  }

  async close(): Promise<void> {
    await this.parley.close();
    await this.provider.close();
    this.shop.close();
  }

  /** A new session of that name in which the agent is told to call something. */
  async tell(id: string, content: string): Promise<Receipt> {
    await this.ledger.createSession(this.parley, { id, agentId: 'ada' });
    return this.say(id, content);
  }

  async say(id: string, content: string): Promise<Receipt> {
    const answer = await this.ledger.send(this.parley, id, { content });
    if (answer.status >= 300) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  async open(session: string): Promise<Action[]> {
    return (await this.parley.ok<ActionList>('GET', `/api/actions?session=${session}`)).actions;
  }

  waiting(session: string, count = 1): Promise<Action[]> {
    return until(
      () => this.open(session),
      (actions) => actions.length === count,
      20_000,
    );
  }

  answer({ id }: Action, body: AnswerAction): Promise<Action> {
    return this.parley.ok('POST', `/api/actions/${id}/answer`, body);
  }

  async turnOf(session: string): Promise<Turn> {
    return (await this.parley.ok<{ turns: Turn[] }>('GET', `/api/sessions/${session}/turns`)).turns[0]!;
  }

  async calls(session: string): Promise<ToolCall[]> {
    const { id } = await this.turnOf(session);
    return (await this.parley.ok<ToolCallList>('GET', `/api/turns/${id}/tool-calls`)).calls;
  }

  async states(session: string): Promise<string[]> {
    return (await this.calls(session)).map(({ state }) => state);
  }

  async settled(session: string): Promise<{ turn: Turn; answer: Message }> {
    const turn = await until(
      () => this.turnOf(session),
      ({ endedAt }) => endedAt !== null,
      20_000,
    );
    const { answer } = await this.parley.ok<{ answer: Message }>('GET', `/api/turns/${turn.id}`);
    return { turn, answer };
  }

  /** P3: how often a model was asked something in answer to a text. */
  asked(content: string): number {
    return this.provider.requests.filter(({ said }) => said === content).length;
  }
}

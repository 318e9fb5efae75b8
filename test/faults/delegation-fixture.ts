import type { SessionList } from '../../contract/sessions.ts';
import { scriptedAgent } from '../harness/agents.ts';
import { Ledger } from '../harness/ledger.ts';
import { Parley, until } from '../harness/parley.ts';
import { type RecordedRequest, ScriptedProvider } from '../harness/scripted-provider.ts';
import { type Script, type Step, text } from '../harness/scripted-script.ts';
import { isDeath } from './fixture.ts';

const WAYS = ['sync', 'async', 'tag'] as const;
type Way = (typeof WAYS)[number];
const AT_REST = ['idle', 'active', 'paused', 'error', 'completed'];

/**
 * Lead gives work to bob in every way there is. What each of them says follows from what it reads, never from how often
 * it was asked, so that a server may die and come back anywhere.
 */
export class DelegationFixture {
  readonly provider: ScriptedProvider;
  readonly parley: Parley;
  readonly ledger = new Ledger();

  private constructor(provider: ScriptedProvider, parley: Parley) {
    this.provider = provider;
    this.parley = parley;
  }

  static async open(env: Record<string, string> = {}, more: object = {}): Promise<DelegationFixture> {
    const provider = await ScriptedProvider.start();
    provider.script(speak);
    const agents = [
      scriptedAgent(provider.url, 'lead', {
        toolAllowlist: ['agents_*', 'bash'],
        approvals: { bash: 'allow' },
        agentAllowlist: null,
        delegation: { tags: true },
      }),
      scriptedAgent(provider.url, 'bob', { toolAllowlist: ['todo_*'], approvals: { todo_delete: 'ask' } }),
    ];
    return new DelegationFixture(
      provider,
      await Parley.start({ config: { agents, tools: { bash: { agents: ['lead'] } }, ...more }, env }),
    );
  }

  async close(): Promise<void> {
    await this.parley.close();
    await this.provider.close();
  }

  /** All ways at once, in sessions of that name, until everything is over or the server is dead. */
  async delegate(name: string, task = 'work'): Promise<'died' | 'lived'> {
    try {
      await Promise.all(WAYS.map((way) => this.begin(way, name, task)));
      await this.quiet();
      return 'lived';
    } catch (error) {
      if (isDeath(error)) return 'died';
      throw error;
    }
  }

  async begin(way: Way, name: string, task: string): Promise<void> {
    const id = `${way}-${name}`;
    await this.ledger.createSession(this.parley, { id, agentId: 'lead' });
    await this.ledger.send(this.parley, id, { content: `${way}: ${task} of ${name}` });
  }

  async quiet(wanted: readonly string[] = AT_REST): Promise<void> {
    await until(
      () => this.isQuiet(wanted),
      (isQuiet) => isQuiet,
      15_000,
    );
  }

  async isQuiet(wanted: readonly string[] = AT_REST): Promise<boolean> {
    const { sessions } = await this.parley.ok<SessionList>('GET', '/api/sessions?limit=200');
    return sessions.every(({ status }) => wanted.includes(status));
  }

  /** How often a model was asked about something for the first time. */
  asked(agent: string, words: string): number {
    const first = ({ body, said }: RecordedRequest) =>
      body.model === `model-of-${agent}` && said.includes(words) && !hasResults(body);
    return this.provider.requests.filter(first).length;
  }
}

interface Said {
  role: string;
  content: string;
}

function speak({ body, said }: RecordedRequest): Script {
  return { steps: body.model === 'model-of-lead' ? lead(body, said) : bob(body, said) };
}

function lead(body: Record<string, unknown>, said: string): Step[] {
  if (hasResults(body)) return text('Begun, ', 'or done.');
  if (said.startsWith('<from')) return text('Noted, ', 'thanks.');
  const [way, task] = said.split(': ') as [string, string];
  if (way === 'background')
    return [{ kind: 'toolCall', id: 'b1', name: 'bash', input: JSON.stringify({ command: task, background: true }) }];
  if (way === 'tag') return text('Bob will. ', `<delegate to="bob">${task} by tag</delegate>`);
  if (way !== 'sync' && way !== 'async') return text('Bob ', 'has done it.');
  const input = { agentId: 'bob', content: `${task} by ${way}`, mode: way, session: 'create' };
  return [...text('I ask bob. '), { kind: 'toolCall', id: 'c1', name: 'agents_message', input: JSON.stringify(input) }];
}

function bob(body: Record<string, unknown>, said: string): Step[] {
  if (said.includes('delete') && !hasResults(body))
    return [{ kind: 'toolCall', id: 'd1', name: 'todo_delete', input: '{"id":"x"}' }];
  const ms = said.includes('slow') ? 5000 : said.includes('a while') ? 400 : 5;
  return ['Well, ', 'so ', 'it ', 'is.'].flatMap((piece): Step[] => [
    { kind: 'text', text: piece },
    { kind: 'wait', ms },
  ]);
}

function hasResults(body: Record<string, unknown>): boolean {
  return (body.messages as Said[]).at(-1)?.role === 'tool';
}

import type { Session } from '../../contract/sessions.ts';
import type { Receipt, SendMessageInput } from '../../contract/turns.ts';
import { scriptedConfig } from '../harness/agents.ts';
import { Ledger } from '../harness/ledger.ts';
import { Parley, until } from '../harness/parley.ts';
import { ScriptedProvider } from '../harness/scripted-provider.ts';
import type { Script, Step } from '../harness/scripted-script.ts';

export const AGENTS = ['wisp/one', 'wisp/two', 'wisp/guest'];

/** What every agent says here: long enough to be cut anywhere, and known beforehand. */
export function answerTo(said: string): string {
  return `To “${said}” I say 🙂: ${Array.from({ length: 12 }, (_, index) => `point ${index} é`).join(', ')}. Done.`;
}

export function scriptFor(said: string, delayMs: number): Script {
  const pieces = answerTo(said).match(/.{1,9}/gsu) ?? [];
  const steps = pieces.flatMap((text): Step[] => [
    { kind: 'text', text },
    { kind: 'wait', ms: delayMs },
  ]);
  return { steps };
}

/** A server, a provider that answers in a known way, and a ledger of what was sent. */
export class Fixture {
  readonly provider: ScriptedProvider;
  readonly parley: Parley;
  readonly ledger = new Ledger();
  delayMs: number;

  private constructor(provider: ScriptedProvider, parley: Parley, delayMs: number) {
    this.provider = provider;
    this.parley = parley;
    this.delayMs = delayMs;
    this.ledger.expectedAnswer = answerTo;
  }

  static async open(
    options: { env?: Record<string, string>; config?: object; delayMs?: number } = {},
  ): Promise<Fixture> {
    const provider = await ScriptedProvider.start();
    const config = scriptedConfig(provider.url, AGENTS, options.config);
    const parley = await Parley.start({ config, ...(options.env && { env: options.env }) });
    const fixture = new Fixture(provider, parley, options.delayMs ?? 5);
    provider.script(({ said, body }) => {
      if (JSON.stringify(body).includes('You write the summary'))
        return { steps: [{ kind: 'text', text: 'In short.' }] };
      return scriptFor(said, fixture.delayMs);
    });
    return fixture;
  }

  async close(): Promise<void> {
    await this.parley.close();
    await this.provider.close();
  }

  session(agentId = AGENTS[0]!, more: { id?: string; name?: string } = {}): Promise<Session> {
    return this.ledger.createSession(this.parley, { agentId, ...more });
  }

  async send(sessionId: string, message: SendMessageInput): Promise<Receipt> {
    const answer = await this.ledger.send(this.parley, sessionId, message);
    if (answer.status >= 300) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  async settled(receipt: Receipt): Promise<void> {
    await until(
      () => this.parley.turn(receipt.turn.id),
      (turn) => turn.endedAt !== null,
      15_000,
    );
  }

  async say(sessionId: string, message: SendMessageInput): Promise<Receipt> {
    const receipt = await this.send(sessionId, message);
    await this.settled(receipt);
    return receipt;
  }

  /** P3: how often a model was asked about a text. */
  asked(said: string): number {
    return this.provider.requests.filter((request) => request.said === said).length;
  }
}

/** Did the server die under this request? Anything else is a failure of the test. */
export function isDeath(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof Error && error.name === 'AbortError');
}

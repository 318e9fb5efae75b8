import { newId } from '../../contract/ids.ts';
import type { Session } from '../../contract/sessions.ts';
import type { Receipt, SendMessageInput } from '../../contract/turns.ts';
import type { Answer, Parley } from './parley.ts';

/** What a test knows of one message: what it asked for, and whether the server said that it has it. */
export interface Sent {
  id: string;
  sessionId: string;
  text: string;
  /** Who has to answer; undefined when the test does not care. */
  agent: string | undefined;
  guest: boolean;
  acknowledged: boolean;
  /** It was being taken back or wiped when the fault came: both endings are right. */
  mayBeGone: boolean;
}

/**
 * The other side of the promises: what was sent, what was acknowledged, what was taken back. The checker compares it
 * with everything the server says afterwards.
 */
export class Ledger {
  readonly sent = new Map<string, Sent>();
  /** Also what was taken back since: a copy may still have it. */
  readonly everSaid = new Set<string>();
  readonly sessions = new Map<string, 'live' | 'doubtful' | 'gone'>();
  readonly #wiped = new Set<string>();
  /** What the model was scripted to say to a text; an answer is all of it, or a prefix when it was cut short. */
  expectedAnswer: ((said: string, agent: string) => string) | undefined;

  async createSession(parley: Parley, wanted: { id?: string; agentId?: string; name?: string }): Promise<Session> {
    const id = wanted.id ?? newId();
    this.sessions.set(id, 'doubtful');
    const session = await parley.createSession({ ...wanted, id });
    this.sessions.set(id, 'live');
    return session;
  }

  async send(parley: Parley, sessionId: string, message: SendMessageInput): Promise<Answer<Receipt>> {
    const id = message.id ?? newId();
    const agent = message.agent ?? message.guest;
    const known = this.sent.get(id);
    const entry: Sent = known ?? {
      id,
      sessionId,
      text: message.content,
      agent,
      guest: message.guest !== undefined,
      acknowledged: false,
      // Sent while a wipe is under way: the server may take them in either order.
      mayBeGone: this.sessions.get(sessionId) === 'doubtful',
    };
    this.sent.set(id, entry);
    this.everSaid.add(message.content);
    const answer = await parley.request<Receipt>('POST', `/api/sessions/${sessionId}/messages`, { ...message, id });
    if (answer.status < 300) entry.acknowledged = true;
    return answer;
  }

  /** A revision is a message of its own. */
  note(receipt: Receipt): void {
    const { id, sessionId, text } = receipt.message;
    this.everSaid.add(text);
    // It is noted when its receipt arrives; a wipe that came in between may have taken it.
    const mayBeGone = this.#wiped.has(sessionId);
    const facts = { agent: receipt.turn.agentId, guest: receipt.turn.guest, acknowledged: true, mayBeGone };
    if (!this.sent.has(id)) this.sent.set(id, { id, sessionId, text, ...facts });
  }

  edited(id: string, text: string): void {
    const entry = this.sent.get(id);
    if (entry) entry.text = text;
    this.everSaid.add(text);
  }

  removed(id: string): void {
    this.sent.delete(id);
  }

  /** Everything said there so far is gone, by wish of the person. */
  cleared(sessionId: string): void {
    for (const entry of [...this.sent.values()]) if (entry.sessionId === sessionId) this.sent.delete(entry.id);
  }

  deleted(sessionId: string): void {
    this.cleared(sessionId);
    this.sessions.set(sessionId, 'gone');
  }

  /** A wipe was asked for and its answer never came. */
  doubt(sessionId: string): void {
    this.#wiped.add(sessionId);
    this.sessions.set(sessionId, 'doubtful');
    for (const entry of this.sent.values()) if (entry.sessionId === sessionId) entry.mayBeGone = true;
  }
}

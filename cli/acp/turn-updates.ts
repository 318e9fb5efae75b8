import type { PlanEntryStatus, SessionUpdate } from '@agentclientprotocol/sdk';
import type { PlanEntry, StreamFrame } from '../../contract/events.ts';
import type { Message } from '../../contract/messages.ts';
import { PrintedParts } from '../printed-parts.ts';
import { callChanged, callStarted } from './call-update.ts';

type Frame<T extends StreamFrame['type']> = Extract<StreamFrame, { type: T }>;

/** What happens in the turns of one prompt, as an editor is told. Every word once, under the name of who says it. */
export class TurnUpdates {
  readonly #names: ReadonlyMap<string, string>;
  /** By turn, of its current message. */
  readonly #told = new Map<string, PrintedParts>();
  readonly #calls = new Set<string>();
  /** Who is heard at the moment. The agent that the editor shows as the mode needs no name. */
  #speaker: string | null;
  #hasSpoken = false;

  constructor(primary: string | null, names: ReadonlyMap<string, string>) {
    this.#speaker = primary;
    this.#names = names;
  }

  read(frame: StreamFrame): SessionUpdate[] {
    switch (frame.type) {
      case 'delta':
        return this.#hear(frame);
      case 'turn.partial':
        return frame.parts.flatMap((part) => this.#hear({ ...frame, ...part, offset: 0 }));
      case 'message.created':
        return this.#complete(frame.message);
      case 'tool.started':
      case 'tool.updated':
      case 'tool.ended':
        return this.#call(frame);
      case 'tool.progress':
        return frame.text === null ? [] : [progressOf(frame.callId, frame.text)];
      case 'turn.progress':
        return frame.plan.length > 0 ? [{ sessionUpdate: 'plan', entries: frame.plan.map(toPlanEntry) }] : [];
      case 'delegation.started':
        return [thought(`Delegating to ${this.#nameOf(frame.delegation.to)}: ${frame.delegation.task}\n`)];
      default:
        return [];
    }
  }

  #hear({ turnId, agentId, part, kind, offset, text }: Omit<Frame<'delta'>, 'type' | 'after' | 'sessionId'>) {
    const told = this.#partsOf(turnId);
    const known = told.lengthOf(part);
    if (offset > known || offset + text.length <= known) return [];
    const rest = text.slice(known - offset);
    told.add(part, rest);
    return kind === 'text' ? this.#say(agentId, rest) : [thought(rest)];
  }

  /** What is missing of a message that is stored now. */
  #complete(message: Message): SessionUpdate[] {
    const { turnId, agent } = message;
    if (turnId === null || message.role !== 'assistant') return [];
    const told = this.#partsOf(turnId);
    const texts = message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
    const places = told.recognise(texts);
    this.#told.delete(turnId);
    const rest = texts.flatMap((text, at) => this.#sayRest(agent ?? '', text, told.lengthOf(places[at]!)));
    return [
      ...rest,
      ...message.parts.flatMap((part) => (part.type === 'notice' ? this.#say(agent ?? '', `\n\n_${part.text}_`) : [])),
    ];
  }

  #sayRest(agentId: string, text: string, known: number): SessionUpdate[] {
    return known < text.length ? this.#say(agentId, text.slice(known)) : [];
  }

  #say(agentId: string, text: string): SessionUpdate[] {
    const heading = agentId === this.#speaker ? '' : `${this.#hasSpoken ? '\n\n' : ''}**${this.#nameOf(agentId)}:** `;
    this.#speaker = agentId;
    this.#hasSpoken = true;
    return [{ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: `${heading}${text}` } }];
  }

  #call({ type, call }: Frame<'tool.started' | 'tool.updated' | 'tool.ended'>): SessionUpdate[] {
    const isKnown = this.#calls.has(call.id);
    this.#calls.add(call.id);
    return [isKnown && type !== 'tool.started' ? callChanged(call) : callStarted(call)];
  }

  #nameOf(agentId: string): string {
    return this.#names.get(agentId) ?? agentId;
  }

  #partsOf(turnId: string): PrintedParts {
    const known = this.#told.get(turnId) ?? new PrintedParts();
    this.#told.set(turnId, known);
    return known;
  }
}

function thought(text: string): SessionUpdate {
  return { sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text } };
}

function progressOf(toolCallId: string, text: string): SessionUpdate {
  const content = [{ type: 'content' as const, content: { type: 'text' as const, text } }];
  return { sessionUpdate: 'tool_call_update', toolCallId, content };
}

const PLAN_STATUS: Record<PlanEntry['state'], PlanEntryStatus> = {
  pending: 'pending',
  running: 'in_progress',
  complete: 'completed',
};

function toPlanEntry({ text, state }: PlanEntry) {
  return { content: text, priority: 'medium' as const, status: PLAN_STATUS[state] };
}

import type { StreamFrame, ToolProgress, TurnProgress, TurnRetry } from '../contract/events.ts';
import type { Message, Part } from '../contract/messages.ts';
import type { ToolCall } from '../contract/tools.ts';
import type { Turn } from '../contract/turns.ts';
import { callLine, callOfPart, fromToolCall } from './call-line.ts';
import { whyCut } from './cut-answer.ts';
import { delegationEnd, delegationLine } from './delegation-line.ts';
import { diffLines } from './diff-lines.ts';
import { look } from './output.ts';
import { PrintedParts } from './printed-parts.ts';
import type { Speakers } from './speakers.ts';
import { StatusLine } from './status-line.ts';
import { SafeStream, safeLine } from './terminal-text.ts';

interface Speaker {
  agentId: string | null;
  guest: boolean;
  turnId: string;
}

const MOST_TOLD = 10_000;

type Frame<T extends StreamFrame['type']> = Extract<StreamFrame, { type: T }>;

/** Prints running turns: the speaker's name, then the words, each of them once, and a line for each tool call. */
export class TurnPrinter {
  readonly #speakers: Speakers;
  readonly #write: (text: string) => void;
  readonly #status: StatusLine;
  readonly #guests = new Set<string>();
  /** By turn, of its current message. */
  readonly #printed = new Map<string, PrintedParts>();
  readonly #running = new Map<string, ToolCall>();
  /** Calls and delegates that have their line already. */
  readonly #told = new Set<string>();
  readonly #safe = new SafeStream();
  /** The turn whose message is being printed. */
  #speakingTurn: string | null = null;
  /** It waits for words. */
  #space = '';
  #atLineStart = true;

  constructor(
    speakers: Speakers,
    write: (text: string) => void = (text) => void process.stdout.write(text),
    isLive: boolean = process.stdout.isTTY === true,
  ) {
    this.#speakers = speakers;
    this.#write = write;
    this.#status = new StatusLine(write, isLive);
  }

  /** True while a message has begun and not ended. */
  get isSpeaking(): boolean {
    return this.#speakingTurn !== null;
  }

  show(frame: StreamFrame): void {
    switch (frame.type) {
      case 'turn.started':
        this.#begin(frame);
        break;
      case 'turn.partial':
        this.#catchUp(frame);
        break;
      case 'delta':
        if (frame.kind === 'text') this.#say(this.#speakerOf(frame), frame.part, frame.offset, frame.text);
        break;
      case 'message.created':
        this.#complete(frame.message);
        break;
      case 'turn.settled':
        this.#endTurn(frame.turn.id);
        this.#sayCut(frame.turn);
        break;
      default:
        this.#showWork(frame);
    }
  }

  #sayCut(turn: Turn): void {
    const why = whyCut(turn);
    if (why !== null) this.interject(look().amber(`(cut off: ${why})`));
  }

  #showWork(frame: StreamFrame): void {
    switch (frame.type) {
      case 'tool.started':
      case 'tool.updated':
      case 'tool.ended':
        this.#showCall(frame.call);
        break;
      case 'tool.progress':
        this.#showProgress(frame);
        break;
      case 'turn.progress':
        this.#showTurnProgress(frame);
        break;
      case 'turn.retrying':
        this.#showStatus(retryLine(frame));
        break;
      case 'delegation.started':
        this.#announce(frame.delegation.turnId, delegationLine(frame.delegation));
        break;
      case 'delegation.ended':
        this.#tell(delegationEnd(frame.delegation));
    }
  }

  /** Whatever comes next begins on a line of its own. */
  endMessage(): void {
    this.#status.clear();
    this.#endLine();
    this.#speakingTurn = null;
  }

  /** A word from the program in between; what is being said goes on after it. */
  interject(line: string): void {
    this.#endLine();
    this.#put(`${line}\n`);
    this.#showRunning();
  }

  /** Room for a question to the person; what is being said goes on after it. */
  makeRoom(): void {
    this.#status.clear();
    this.#endLine();
  }

  #begin({ turn, message }: Frame<'turn.started'>): void {
    if (turn.guest) this.#guests.add(turn.id);
    if (message.role !== 'delegation') return;
    this.#announce(turn.id, delegationLine({ to: turn.agentId, task: message.text, state: 'started' }));
  }

  #catchUp(frame: Frame<'turn.partial'>): void {
    if (frame.guest) this.#guests.add(frame.turnId);
    for (const { part, kind, text } of frame.parts) if (kind === 'text') this.#say(frame, part, 0, text);
    for (const call of frame.calls) this.#showCall(call);
  }

  #speakerOf({ agentId, turnId }: { agentId: string; turnId: string }): Speaker {
    return { agentId, turnId, guest: this.#guests.has(turnId) };
  }

  /** What was printed before is not printed again; what is missing in between comes with the stored message. */
  #say(speaker: Speaker, part: number, offset: number, text: string): void {
    const parts = this.#partsOf(speaker.turnId);
    const printed = parts.lengthOf(part);
    if (offset > printed || offset + text.length <= printed) return;
    if (this.#speakingTurn !== speaker.turnId) this.#beginSpeaker(speaker);
    else if (!parts.has(part)) this.#beginPart();
    const rest = text.slice(printed - offset);
    parts.add(part, rest);
    this.#speak(this.#safe.feed(rest));
  }

  /** Space is printed when something comes after it: at the end of what is said it says nothing. */
  #speak(text: string): void {
    const words = text.trimEnd();
    if (words !== '') this.#put(this.#space + words);
    this.#space = (words === '' ? this.#space : '') + text.slice(words.length);
  }

  #partsOf(turnId: string): PrintedParts {
    const parts = this.#printed.get(turnId) ?? new PrintedParts();
    this.#printed.set(turnId, parts);
    return parts;
  }

  #beginPart(): void {
    const isOnNewLine = this.#atLineStart;
    this.#endLine();
    if (!isOnNewLine) this.#put('\n');
  }

  #beginSpeaker({ agentId, guest, turnId }: Speaker): void {
    this.#endLine();
    this.#put(`${this.#speakers.name(agentId, guest)}: `);
    this.#speakingTurn = turnId;
  }

  /** A message that a turn answers is shown with that turn, not here. */
  #complete(message: Message): void {
    if (message.role === 'delegation') this.#completeDelegation(message);
    if (message.role !== 'assistant') return;
    const speaker = { agentId: message.agent, guest: message.guest, turnId: message.turnId ?? message.id };
    const places = this.#partsOf(speaker.turnId).recognise(message.parts.flatMap(textOf));
    for (const part of message.parts) {
      if (part.type === 'text') this.#say(speaker, places.shift()!, 0, part.text);
      else this.#showCallOrDelegation(message, part);
    }
    this.#endTurn(speaker.turnId);
    if (message.status === 'interrupted') this.#put(look().dim('(interrupted)\n'));
  }

  #showCallOrDelegation(message: Message, part: Part): void {
    if (part.type === 'tool_call') this.#tellOnce(part.callId, look().dim(callLine(callOfPart(part, message))));
    if (part.type === 'delegation') this.#announce(part.turnId, delegationLine(part));
    if (part.type === 'notice') this.#tellOnce(`${message.id} notice`, look().dim(`(${safeLine(part.text)})`));
    if (part.type === 'diff') this.#tellOnce(`${message.id} diff`, look().dim(diffLines(part).join('\n')));
  }

  #completeDelegation({ parts, turnId, agent, text }: Message): void {
    const part = parts.find((one) => one.type === 'delegation');
    const told = part ?? { to: agent ?? '?', task: text, state: 'started' as const, turnId };
    this.#announce(told.turnId, delegationLine(told));
  }

  #showCall(call: ToolCall): void {
    if (call.endedAt === null) this.#running.set(call.id, call);
    else this.#running.delete(call.id);
    if (call.endedAt !== null) this.#tellOnce(call.id, look().dim(callLine(fromToolCall(call))));
    else this.#showRunning();
  }

  #showProgress({ callId, text, fraction }: ToolProgress): void {
    const call = this.#running.get(callId);
    if (!call) return;
    const share = fraction === null ? '' : ` ${Math.round(fraction * 100)} %`;
    this.#showStatus(`⚙ ${safeLine(call.name)}${share}${text ? ` ${safeLine(text)}` : ''} …`);
  }

  /** What the agent is doing, or the step of its plan that it is at. */
  #showTurnProgress({ status, plan }: TurnProgress): void {
    const doing = status ?? plan.find(({ state }) => state === 'running')?.text;
    if (doing) this.#showStatus(`… ${safeLine(doing)}`);
  }

  #showRunning(): void {
    const newest = [...this.#running.values()].findLast(({ state }) => state === 'running');
    if (newest) this.#showStatus(callLine(fromToolCall(newest)));
    else this.#status.clear();
  }

  #showStatus(text: string): void {
    this.#endLine();
    this.#status.show(text);
  }

  #announce(turnId: string | null, line: string): void {
    if (turnId === null) this.#tell(line);
    else this.#tellOnce(turnId, look().amber(line));
  }

  #tellOnce(id: string, line: string): void {
    if (this.#told.has(id)) return;
    // A person may keep this open for days, so the set is bounded.
    if (this.#told.size > MOST_TOLD) this.#told.clear();
    this.#told.add(id);
    this.interject(line);
  }

  #tell(line: string | null): void {
    if (line !== null) this.interject(look().amber(line));
  }

  #endTurn(turnId: string): void {
    if (this.#speakingTurn === turnId || this.#speakingTurn === null) this.endMessage();
    this.#printed.delete(turnId);
  }

  #endLine(): void {
    this.#speak(this.#safe.end());
    this.#space = '';
    if (!this.#atLineStart) this.#put('\n');
  }

  #put(text: string): void {
    if (text === '') return;
    this.#status.clear();
    this.#write(text);
    this.#atLineStart = text.endsWith('\n');
  }
}

function retryLine({ code, waitMs }: TurnRetry): string {
  const why = RETRIES[code] ?? 'The request failed';
  return `${why}, retrying in ${Math.ceil(waitMs / 1000)} s …`;
}

const RETRIES: Readonly<Record<string, string>> = {
  model_rate_limited: 'Rate limited',
  model_overloaded: 'The model is overloaded',
  model_unreachable: "Can't reach the model",
  agent_busy: 'The agent takes no requests',
  agent_unreachable: "Can't reach the agent",
};

function textOf(part: Part): string[] {
  return part.type === 'text' ? [part.text] : [];
}

import type { StreamFrame } from '../contract/events.ts';
import type { Message, Part } from '../contract/messages.ts';
import { look } from './output.ts';
import type { Speakers } from './speakers.ts';
import { SafeStream, safeLine } from './terminal-text.ts';

interface Speaker {
  agentId: string | null;
  guest: boolean;
}

/** Prints turns as they are spoken: the speaker's name, then the words, each of them once. */
export class SpeechPrinter {
  readonly #speakers: Speakers;
  readonly #write: (text: string) => void;
  readonly #guests = new Set<string>();
  /** How much of each part of the current message has been printed, by its number. */
  #printed = new Map<number, number>();
  #safe = new SafeStream();
  #atLineStart = true;

  constructor(speakers: Speakers, write: (text: string) => void = (text) => void process.stdout.write(text)) {
    this.#speakers = speakers;
    this.#write = write;
  }

  /** True while a message has begun and not ended. */
  get isSpeaking(): boolean {
    return this.#printed.size > 0;
  }

  show(frame: StreamFrame): void {
    switch (frame.type) {
      case 'turn.started':
        if (frame.turn.guest) this.#guests.add(frame.turn.id);
        break;
      case 'turn.partial':
        for (const { part, kind, text } of frame.parts) if (kind === 'text') this.#say(frame, part, 0, text);
        break;
      case 'delta':
        if (frame.kind === 'text') this.#say(this.#speakerOf(frame), frame.part, frame.offset, frame.text);
        break;
      case 'message.created':
        if (frame.message.role === 'assistant') this.#complete(frame.message);
        break;
      case 'turn.settled':
        this.endMessage();
    }
  }

  /** Whatever comes next begins on a line of its own. */
  endMessage(): void {
    this.#put(this.#safe.end());
    if (!this.#atLineStart) this.#put('\n');
    this.#printed = new Map();
  }

  /** A word from the program in between; what is being said goes on after it. */
  interject(line: string): void {
    this.#put(`${this.#atLineStart ? '' : '\n'}${line}\n`);
  }

  #speakerOf({ agentId, turnId }: { agentId: string; turnId: string }): Speaker {
    return { agentId, guest: this.#guests.has(turnId) };
  }

  /** What was printed before is not printed again; what is missing in between comes with the stored message. */
  #say(speaker: Speaker, part: number, offset: number, text: string): void {
    const printed = this.#printed.get(part) ?? 0;
    if (offset > printed || offset + text.length <= printed) return;
    if (!this.#printed.has(part)) this.#beginPart(speaker);
    this.#put(this.#safe.feed(text.slice(printed - offset)));
    this.#printed.set(part, offset + text.length);
  }

  #beginPart(speaker: Speaker): void {
    if (this.isSpeaking) this.#put(`${this.#safe.end()}\n\n`);
    else this.#put(`${this.#speakers.name(speaker.agentId, speaker.guest)}: `);
  }

  #complete(message: Message): void {
    const speaker = { agentId: message.agent, guest: message.guest };
    for (const [index, part] of message.parts.entries()) this.#completePart(speaker, index, part);
    this.endMessage();
    if (message.status === 'interrupted') this.#put(look().dim('(interrupted)\n'));
  }

  #completePart(speaker: Speaker, index: number, part: Part): void {
    switch (part.type) {
      case 'text':
        this.#say(speaker, index, 0, part.text);
        break;
      case 'tool_call':
        this.endMessage();
        this.#put(
          look().dim(`(${safeLine(part.name)} was rejected: ${safeLine(part.reason ?? 'not allowed here')})\n`),
        );
        break;
      case 'reasoning':
        break;
      default:
        part satisfies never;
    }
  }

  #put(text: string): void {
    if (text === '') return;
    this.#write(text);
    this.#atLineStart = text.endsWith('\n');
  }
}

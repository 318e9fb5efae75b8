import { createStore, type StoreApi } from 'zustand/vanilla';
import type { VoiceWay } from './voice-support.ts';

export interface Heard {
  readonly phase: 'off' | 'starting' | 'listening' | 'working';
  /** Where in the text the words go. */
  readonly at: number;
  readonly sure: string;
  /** May still change. */
  readonly guess: string;
}

const OFF: Heard = { phase: 'off', at: 0, sure: '', guess: '' };

/** The text that is dictated into. */
export interface Page {
  text(): string;
  put(text: string, caret: number): void;
  /** An error code of the speech API, or words of the server. */
  failed(reason: string): void;
}

type Way = Exclude<VoiceWay, 'none'>;
type Listen = (way: Way, hearing: Hearing) => Promise<Listening>;

/** Words are put into the text when the person is done; until then it stays as it was. */
export class Dictation {
  readonly store: StoreApi<Heard> = createStore<Heard>()(() => OFF);
  readonly #page: Page;
  readonly #listen: Listen;
  #listening: Listening | null = null;

  constructor(page: Page, listen: Listen) {
    this.#page = page;
    this.#listen = listen;
  }

  async start(way: Way, at: number): Promise<void> {
    this.store.setState({ ...OFF, phase: 'starting', at });
    try {
      this.#begin(await this.#listen(way, this.#hearing()));
    } catch (error) {
      this.store.setState(OFF);
      this.#page.failed(nameOf(error));
    }
  }

  /** It may have been called off before it began. */
  #begin(listening: Listening): void {
    if (this.store.getState().phase === 'off') {
      listening.cancel();
      return;
    }
    this.#listening = listening;
    this.store.setState({ phase: 'listening' });
  }

  /** Keeps what was said. */
  finish(): void {
    this.#listening?.finish();
  }

  /** Forgets what was said. */
  cancel(): void {
    const listening = this.#listening;
    this.#listening = null;
    this.store.setState(OFF);
    listening?.cancel();
  }

  #hearing(): Hearing {
    const isOn = () => this.store.getState().phase !== 'off';
    const note = (change: Partial<Heard>) => isOn() && this.store.setState(change);
    return {
      heard: (words) => note({ sure: `${this.store.getState().sure} ${words}`, guess: '' }),
      guessed: (guess) => note({ guess }),
      working: () => note({ phase: 'working' }),
      failed: (reason) => isOn() && this.#page.failed(reason),
      done: () => isOn() && this.#end(),
    };
  }

  #end(): void {
    const { at, sure, guess } = this.store.getState();
    this.#listening = null;
    this.store.setState(OFF);
    const { before, words, after } = putSpoken(this.#page.text(), at, `${sure} ${guess}`);
    if (words !== '') this.#page.put(before + words + after, before.length + words.length);
  }
}

function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.name === 'Error' ? error.message : error.name;
}

/** What a listener tells while it listens. `done` is last. */
export interface Hearing {
  /** Words that will not change any more. */
  heard(words: string): void;
  /** Words as they seem at the moment. */
  guessed(words: string): void;
  /** Recording is over and the words are being found. */
  working(): void;
  /** An error code of the speech API, or words of the server. */
  failed(reason: string): void;
  done(): void;
}

export interface Listening {
  /** Ends and keeps what was said. */
  finish(): void;
  /** Ends and forgets it. */
  cancel(): void;
}

interface Spoken {
  readonly before: string;
  /** With the spaces it needs on both sides. */
  readonly words: string;
  readonly after: string;
}

/** Spoken words put into a text: apart from what stands before and after them. */
export function putSpoken(text: string, at: number, spoken: string): Spoken {
  const before = text.slice(0, at);
  const after = text.slice(at);
  const trimmed = spoken.replace(/\s+/g, ' ').trim();
  if (trimmed === '') return { before, words: '', after };
  const left = before === '' || /\s$/.test(before) ? '' : ' ';
  const right = after === '' || /^[\s.,;:!?)]/.test(after) ? '' : ' ';
  return { before, words: `${left}${trimmed}${right}`, after };
}

type FailureKind = 'quiet' | 'denied' | 'noMicrophone' | 'unable' | 'other';

/** What came of a failed dictation. `quiet` needs no words; after `unable` the browser is not asked again. */
export function failureKind(reason: string): FailureKind {
  switch (reason) {
    case 'no-speech':
    case 'aborted':
      return 'quiet';
    case 'not-allowed':
    case 'NotAllowedError':
      return 'denied';
    case 'audio-capture':
    case 'NotFoundError':
      return 'noMicrophone';
    case 'network':
    case 'service-not-allowed':
    case 'language-not-supported':
      return 'unable';
    default:
      return 'other';
  }
}

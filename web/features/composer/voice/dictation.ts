import { createStore, type StoreApi } from 'zustand/vanilla';
import type { VoiceWay } from './choose-way.ts';
import type { Hearing, Listening } from './hearing.ts';
import { putSpoken } from './spoken.ts';

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

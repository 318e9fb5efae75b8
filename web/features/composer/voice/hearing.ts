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

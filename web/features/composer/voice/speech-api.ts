/** The Web Speech API as far as it is used here; browsers differ in what they have of it. */
export interface Recogniser extends EventTarget {
  lang: string;
  continuous: boolean;
  interimResults: boolean;
  processLocally?: boolean;
  start(): void;
  stop(): void;
  abort(): void;
}

export interface RecogniserClass {
  new (): Recogniser;
  available?(wanted: LocalWish): Promise<'available' | 'downloadable' | 'downloading' | 'unavailable'>;
  install?(wanted: LocalWish): Promise<boolean>;
}

export interface LocalWish {
  langs: string[];
  processLocally: true;
}

export interface ResultEvent extends Event {
  readonly resultIndex: number;
  readonly results: ArrayLike<ArrayLike<{ readonly transcript: string }> & { readonly isFinal: boolean }>;
}

export interface FailureEvent extends Event {
  readonly error: string;
}

export function recogniserClass(): RecogniserClass | null {
  const names = globalThis as { SpeechRecognition?: RecogniserClass; webkitSpeechRecognition?: RecogniserClass };
  return names.SpeechRecognition ?? names.webkitSpeechRecognition ?? null;
}

export function localWish(): LocalWish {
  return { langs: [navigator.language], processLocally: true };
}

export interface Spoken {
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

export type FailureKind = 'quiet' | 'denied' | 'noMicrophone' | 'unable' | 'other';

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

import { describe, expect, it } from 'vitest';
import { Dictation, failureKind, type Hearing, putSpoken } from '../../web/features/composer/voice/dictation.ts';
import { chooseWay, type Means } from '../../web/features/composer/voice/voice-support.ts';

describe('how dictation is done', () => {
  it('on the device before anything else', () => {
    expect(way({ hasSpeech: true, local: 'available', remote: true, transcription: true })).toBe('local');
    expect(way({ hasSpeech: true, local: 'downloadable', remote: true, transcription: true })).toBe('download');
  });

  it("by the browser's maker only when the person has allowed it", () => {
    expect(way({ hasSpeech: true })).toBe('none');
    expect(way({ hasSpeech: true, remote: true })).toBe('remote');
    expect(way({ hasSpeech: true, transcription: true })).toBe('server');
  });

  it('by the server where it is set up for that', () => {
    expect(way({ transcription: true })).toBe('server');
    expect(way({ transcription: true, hasRecorder: false })).toBe('none');
  });

  it('not at all without a secure connection, and says so', () => {
    expect(chooseWay(means({ isSecure: false, hasSpeech: true, local: 'available' }))).toEqual({
      kind: 'none',
      why: 'insecure',
    });
    expect(chooseWay(means({ hasSpeech: true }))).toEqual({ kind: 'none', why: 'notAllowed' });
    expect(chooseWay(means({}))).toEqual({ kind: 'none', why: 'noWay' });
  });
});

describe('spoken words', () => {
  it('stand apart from what is before and after them', () => {
    expect(whole('hello', 5, ' there ')).toBe('hello there');
    expect(whole('ab', 1, 'x')).toBe('a x b');
    expect(whole('stop.', 4, 'now')).toBe('stop now.');
    expect(whole('', 0, 'one  two')).toBe('one two');
    expect(whole('same', 2, '  ')).toBe('same');
  });

  it('that fail for no fault of anybody are not complained about', () => {
    expect(failureKind('no-speech')).toBe('quiet');
    expect(failureKind('network')).toBe('unable');
    expect(failureKind('NotAllowedError')).toBe('denied');
    expect(failureKind('Too long.')).toBe('other');
  });
});

describe('a dictation', () => {
  it('puts in what was heard, and the last guess, when it is done', async () => {
    const { dictation, hearing, page } = await begun('Dear Bob', 8);
    hearing().guessed('how');
    hearing().heard('how are');
    hearing().guessed('you');
    expect(page.text).toBe('Dear Bob');
    hearing().done();
    expect(page).toMatchObject({ text: 'Dear Bob how are you', caret: 20 });
    expect(dictation.store.getState().phase).toBe('off');
  });

  it('leaves the text as it was when it is cancelled, whatever comes later', async () => {
    const { dictation, hearing, page } = await begun('Dear Bob', 8);
    hearing().heard('nonsense');
    dictation.cancel();
    hearing().heard('more');
    hearing().done();
    expect(page.text).toBe('Dear Bob');
  });

  it('that is called off before it begins does not listen', async () => {
    let cancelled = 0;
    const stop = { finish: () => undefined, cancel: () => void cancelled++ };
    let begin: ((listening: typeof stop) => void) | undefined;
    const waiting = new Promise<typeof stop>((resolve) => {
      begin = resolve;
    });
    const dictation = new Dictation(emptyPage(), () => waiting);
    const started = dictation.start('local', 0);
    dictation.cancel();
    begin!(stop);
    await started;
    expect(cancelled).toBe(1);
    expect(dictation.store.getState().phase).toBe('off');
  });

  it('that cannot begin says why and is off again', async () => {
    const page = emptyPage();
    const dictation = new Dictation(page, () => Promise.reject(new Error('language-not-supported')));
    await dictation.start('download', 0);
    expect(page.reasons).toEqual(['language-not-supported']);
    expect(dictation.store.getState().phase).toBe('off');
  });
});

function means(more: Partial<Means>): Means {
  const none = { isSecure: true, hasSpeech: false, remote: false, transcription: false, hasRecorder: true };
  return { ...none, local: 'unavailable', ...more };
}

function way(more: Partial<Means>): string {
  return chooseWay(means(more)).kind;
}

function whole(text: string, at: number, spoken: string): string {
  const { before, words, after } = putSpoken(text, at, spoken);
  return before + words + after;
}

interface TestPage {
  text: string;
  caret: number;
  reasons: string[];
}

function emptyPage() {
  const reasons: string[] = [];
  return { reasons, text: () => '', put: () => undefined, failed: (reason: string) => void reasons.push(reason) };
}

async function begun(text: string, at: number) {
  const page: TestPage = { text, caret: at, reasons: [] };
  let hearing: Hearing | undefined;
  const put = (next: string, caret: number) => void Object.assign(page, { text: next, caret });
  const dictation = new Dictation(
    { text: () => page.text, put, failed: (reason) => void page.reasons.push(reason) },
    (_way, given) => {
      hearing = given;
      return Promise.resolve({ finish: () => undefined, cancel: () => undefined });
    },
  );
  await dictation.start('local', at);
  return { dictation, hearing: () => hearing!, page };
}

import { pageKeyHeaders } from '../../../state/device-memory.ts';
import type { Hearing, Listening } from './dictation.ts';
import {
  type FailureEvent,
  localWish,
  type Recogniser,
  type ResultEvent,
  recogniserClass,
  type VoiceWay,
} from './voice-support.ts';

export function listen(way: Exclude<VoiceWay, 'none'>, hearing: Hearing): Promise<Listening> {
  switch (way) {
    case 'local':
    case 'download':
    case 'remote':
      return recognise(way, hearing);
    case 'server':
      return record(hearing);
    default:
      return way satisfies never;
  }
}

/** Records, and has the server write down what was said. */
async function record(hearing: Hearing): Promise<Listening> {
  const sound = await navigator.mediaDevices.getUserMedia({ audio: true });
  const recorder = new MediaRecorder(sound);
  const pieces: Blob[] = [];
  let isWanted = true;
  recorder.addEventListener('dataavailable', ({ data }) => pieces.push(data));
  recorder.addEventListener('stop', () => {
    for (const track of sound.getTracks()) track.stop();
    if (isWanted) void transcribe(new Blob(pieces, { type: recorder.mimeType }), hearing);
    else hearing.done();
  });
  recorder.start();
  return {
    finish: () => recorder.stop(),
    cancel: () => {
      isWanted = false;
      recorder.stop();
    },
  };
}

async function transcribe(sound: Blob, hearing: Hearing): Promise<void> {
  hearing.working();
  try {
    const response = await fetch('/api/transcriptions', {
      method: 'POST',
      headers: { 'Content-Type': sound.type || 'audio/webm', ...pageKeyHeaders() },
      body: sound,
    });
    const answer = (await response.json()) as { text?: string; detail?: string };
    if (response.ok) hearing.heard(answer.text ?? '');
    else hearing.failed(answer.detail ?? String(response.status));
  } catch (error) {
    hearing.failed((error as Error).message);
  }
  hearing.done();
}

/** The browser listens. On the device, what it needs is brought first. */
async function recognise(way: 'local' | 'download' | 'remote', hearing: Hearing): Promise<Listening> {
  const Recognition = recogniserClass()!;
  if (way === 'download' && !(await Recognition.install?.(localWish()))) throw new Error('language-not-supported');
  const recogniser = new Recognition();
  recogniser.lang = navigator.language;
  recogniser.continuous = true;
  recogniser.interimResults = true;
  if (way !== 'remote') recogniser.processLocally = true;
  pass(recogniser, hearing);
  recogniser.start();
  return { finish: () => recogniser.stop(), cancel: () => recogniser.abort() };
}

function pass(recogniser: Recogniser, hearing: Hearing): void {
  recogniser.addEventListener('result', (event) => {
    const { final, interim } = wordsOf(event as ResultEvent);
    if (final !== '') hearing.heard(final);
    hearing.guessed(interim);
  });
  recogniser.addEventListener('error', (event) => hearing.failed((event as FailureEvent).error));
  recogniser.addEventListener('end', () => hearing.done());
}

/** Only what is new: earlier results were told before. */
function wordsOf({ results, resultIndex }: ResultEvent): { final: string; interim: string } {
  const fresh = Array.from(results).slice(resultIndex);
  const join = (isFinal: boolean) =>
    fresh
      .filter((result) => result.isFinal === isFinal)
      .map((result) => result[0]?.transcript ?? '')
      .join('');
  return { final: join(true), interim: join(false) };
}

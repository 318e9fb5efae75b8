import { pageKeyHeaders } from '../../../state/page-key.ts';
import type { Hearing, Listening } from './hearing.ts';

/** Records, and has the server write down what was said. */
export async function record(hearing: Hearing): Promise<Listening> {
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

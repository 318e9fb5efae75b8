import type { Hearing, Listening } from './hearing.ts';
import { type FailureEvent, localWish, type Recogniser, type ResultEvent, recogniserClass } from './speech-api.ts';

/** The browser listens. On the device, what it needs is brought first. */
export async function recognise(way: 'local' | 'download' | 'remote', hearing: Hearing): Promise<Listening> {
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

import { useEffect, useState } from 'react';
import { useStore } from 'zustand';
import { text } from '../../../i18n/text.ts';
import { notify } from '../../../ui/toast.tsx';
import { Dictation, type Heard, type Page } from './dictation.ts';
import { failureKind } from './spoken.ts';
import { noteSpeechFails } from './voice-support.ts';

/** One dictation for the life of a box; it ends with it. What listens is brought when it is first used. */
export function useDictation(page: Omit<Page, 'failed'>): { dictation: Dictation; heard: Heard } {
  const [dictation] = useState(
    () =>
      new Dictation({ ...page, failed: tellFailure }, async (...given) =>
        (await import('./listen.ts')).listen(...given),
      ),
  );
  useEffect(() => () => dictation.cancel(), [dictation]);
  return { dictation, heard: useStore(dictation.store) };
}

function tellFailure(reason: string): void {
  const kind = failureKind(reason);
  if (kind === 'quiet') return;
  if (kind === 'unable') noteSpeechFails();
  notify({ title: kind === 'other' ? reason : text(`composer.voice.failed.${kind}`) });
}

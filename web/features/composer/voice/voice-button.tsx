import { LoaderCircle, Mic, Square } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useStore } from 'zustand';
import { text, useText } from '../../../i18n/text.ts';
import { IconButton } from '../../../ui/button.tsx';
import { notify } from '../../../ui/toast.tsx';
import { Dictation, failureKind, type Heard, type Page } from './dictation.ts';
import { noteSpeechFails, useVoiceSupport } from './voice-support.ts';

interface Props {
  dictation: Dictation;
  phase: Heard['phase'];
  caret(): number;
}

/** There only where dictation is possible; Settings says why where it is not. */
export function VoiceButton({ dictation, phase, caret }: Props) {
  const text = useText();
  const support = useVoiceSupport();
  if (!support || support.way === 'none') return null;
  const { way } = support;
  const start = () => {
    if (way === 'download') notify({ title: text('composer.voice.downloading') });
    void dictation.start(way, caret());
  };
  if (phase === 'off')
    return (
      <IconButton label={text('composer.voice.start')} onClick={start}>
        <Mic size={16} />
      </IconButton>
    );
  if (phase !== 'listening')
    return (
      <IconButton label={text('composer.voice.preparing')} onClick={() => dictation.cancel()}>
        <LoaderCircle size={16} className="animate-spin" />
      </IconButton>
    );
  return (
    <IconButton label={text('composer.voice.stop')} onClick={() => dictation.finish()}>
      <Square size={14} fill="currentColor" className="text-danger" />
    </IconButton>
  );
}

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

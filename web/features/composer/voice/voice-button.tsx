import { LoaderCircle, Mic, Square } from 'lucide-react';
import { useText } from '../../../i18n/text.ts';
import { IconButton } from '../../../ui/button.tsx';
import { notify } from '../../../ui/toast.tsx';
import type { Dictation, Heard } from './dictation.ts';
import { useVoiceSupport } from './voice-support.ts';

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

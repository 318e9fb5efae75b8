import { useRemoteVoice, useVoiceSupport } from '../../features/composer/voice/voice-support.ts';
import { useText } from '../../i18n/text.ts';
import { Section } from '../../ui/page.tsx';
import { Switch } from './choice.tsx';

/** What this browser can do with speech here, and where the sound goes. */
export function VoiceSettings() {
  const text = useText();
  const support = useVoiceSupport();
  const [remote, allowRemote] = useRemoteVoice();
  const canSpeak = 'speechSynthesis' in globalThis;
  return (
    <Section id="voice" title={text('settings.voice')}>
      <dl className="mb-3 grid grid-cols-[minmax(0,128px)_1fr] gap-x-4 gap-y-1.5">
        <dt className="text-fg-2">{text('settings.dictation')}</dt>
        <dd>{support ? text(support.explanation) : text('app.loading')}</dd>
        <dt className="text-fg-2">{text('settings.readingAloud')}</dt>
        <dd>{text(canSpeak ? 'settings.readingAloudHere' : 'settings.readingAloudUnable')}</dd>
      </dl>
      <Switch label={text('settings.remoteVoice')} checked={remote} onChange={allowRemote} />
    </Section>
  );
}

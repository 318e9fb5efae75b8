import { useQuery } from '@tanstack/react-query';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { TextKey } from '../../../i18n/en.ts';
import { useLive, useLiveConnection } from '../../../live/use-live.ts';
import { deviceMemory } from '../../../state/device-memory.ts';
import { chooseWay, type VoiceWay } from './choose-way.ts';
import { localWish, recogniserClass } from './speech-api.ts';

const KEY = 'parley.voice.remote';

interface Choices {
  /** Whether sound may go to the browser's maker. Nobody's voice leaves the device without this. */
  readonly remote: boolean;
  /** The browser offers recognition and cannot do it: found out by trying. */
  readonly speechFails: boolean;
}

const choices = createStore<Choices>()(() => ({ remote: deviceMemory.getItem(KEY) === 'true', speechFails: false }));

export function useRemoteVoice(): [allowed: boolean, allow: (allowed: boolean) => void] {
  return [useStore(choices, ({ remote }) => remote), setRemoteVoice];
}

export function setRemoteVoice(remote: boolean): void {
  deviceMemory.setItem(KEY, String(remote));
  choices.setState({ remote });
}

export function noteSpeechFails(): void {
  choices.setState({ speechFails: true });
}

export interface VoiceSupport {
  readonly way: VoiceWay;
  /** Where the sound goes, or why there is no voice input. */
  readonly explanation: TextKey;
}

/** How this browser can take dictation right now. `transcription`: the server is set up for it. */
export async function voiceSupport({ transcription }: { transcription: boolean }): Promise<VoiceSupport> {
  const { remote, speechFails } = choices.getState();
  const speech = speechFails ? null : recogniserClass();
  const way = chooseWay({
    isSecure: isSecureContext,
    hasSpeech: speech !== null,
    local: (await speech?.available?.(localWish()).catch(() => 'unavailable' as const)) ?? 'unavailable',
    remote,
    transcription,
    hasRecorder: typeof MediaRecorder !== 'undefined' && navigator.mediaDevices !== undefined,
  });
  return way.kind === 'none'
    ? { way: way.kind, explanation: `composer.voice.none.${way.why}` }
    : { way: way.kind, explanation: `composer.voice.${way.kind}` };
}

/** The same for components; null while it is being found out. */
export function useVoiceSupport(): VoiceSupport | null {
  const { client } = useLiveConnection();
  const version = useLive((state) => state.configurationVersion);
  const chosen = useStore(choices);
  const { data } = useQuery({
    queryKey: ['voice', version, chosen],
    queryFn: async () => voiceSupport({ transcription: transcribes(await client.call('getConfiguration')) }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data ?? null;
}

function transcribes(configuration: object): boolean {
  const { features } = configuration as { features?: { transcription?: boolean } };
  return features?.transcription === true;
}

import { useQuery } from '@tanstack/react-query';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { TextKey } from '../../../i18n/en.ts';
import { useLive, useLiveConnection } from '../../../live/use-live.ts';
import { deviceMemory } from '../../../state/device-memory.ts';

const KEY = 'parley.voice.remote';

interface Choices {
  /** Whether sound may go to the browser's maker. Without it no sound leaves the device. */
  readonly remote: boolean;
  /** The browser offers recognition and cannot do it: found out by trying. */
  readonly speechFails: boolean;
}

const choices = createStore<Choices>()(() => ({ remote: deviceMemory.getItem(KEY) === 'true', speechFails: false }));

export function useRemoteVoice(): [allowed: boolean, allow: (allowed: boolean) => void] {
  return [useStore(choices, ({ remote }) => remote), setRemoteVoice];
}

function setRemoteVoice(remote: boolean): void {
  deviceMemory.setItem(KEY, String(remote));
  choices.setState({ remote });
}

export function noteSpeechFails(): void {
  choices.setState({ speechFails: true });
}

interface VoiceSupport {
  readonly way: VoiceWay;
  /** Where the sound goes, or why there is no voice input. */
  readonly explanation: TextKey;
}

/** How this browser can take dictation right now. `transcription`: the server is set up for it. */
async function voiceSupport({ transcription }: { transcription: boolean }): Promise<VoiceSupport> {
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

/** `local` and `download`: on this device. `remote`: by the browser's maker. `server`: by what Parley is set up with. */
export type VoiceWay = 'local' | 'download' | 'remote' | 'server' | 'none';

export interface Means {
  readonly isSecure: boolean;
  readonly hasSpeech: boolean;
  readonly local: 'available' | 'downloadable' | 'downloading' | 'unavailable';
  /** The person has allowed it. */
  readonly remote: boolean;
  readonly transcription: boolean;
  readonly hasRecorder: boolean;
}

type Choice =
  | { readonly kind: Exclude<VoiceWay, 'none'> }
  | { readonly kind: 'none'; readonly why: 'insecure' | 'notAllowed' | 'noWay' };

/** The device first; the browser's maker only where the person has allowed it; then the server. */
export function chooseWay({ isSecure, hasSpeech, local, remote, transcription, hasRecorder }: Means): Choice {
  if (!isSecure) return { kind: 'none', why: 'insecure' };
  if (hasSpeech && local === 'available') return { kind: 'local' };
  if (hasSpeech && local !== 'unavailable') return { kind: 'download' };
  if (hasSpeech && remote) return { kind: 'remote' };
  if (transcription && hasRecorder) return { kind: 'server' };
  return { kind: 'none', why: hasSpeech ? 'notAllowed' : 'noWay' };
}

/** The Web Speech API as far as it is used here; browsers differ in what they have of it. */
export interface Recogniser extends EventTarget {
  lang: string;
  continuous: boolean;
  interimResults: boolean;
  processLocally?: boolean;
  start(): void;
  stop(): void;
  abort(): void;
}

interface RecogniserClass {
  new (): Recogniser;
  available?(wanted: LocalWish): Promise<'available' | 'downloadable' | 'downloading' | 'unavailable'>;
  install?(wanted: LocalWish): Promise<boolean>;
}

interface LocalWish {
  langs: string[];
  processLocally: true;
}

export interface ResultEvent extends Event {
  readonly resultIndex: number;
  readonly results: ArrayLike<ArrayLike<{ readonly transcript: string }> & { readonly isFinal: boolean }>;
}

export interface FailureEvent extends Event {
  readonly error: string;
}

export function recogniserClass(): RecogniserClass | null {
  const names = globalThis as { SpeechRecognition?: RecogniserClass; webkitSpeechRecognition?: RecogniserClass };
  return names.SpeechRecognition ?? names.webkitSpeechRecognition ?? null;
}

export function localWish(): LocalWish {
  return { langs: [navigator.language], processLocally: true };
}

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

export type Choice =
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

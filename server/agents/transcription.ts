import { AppError } from '../../contract/errors.ts';
import { say, type Text } from '../../contract/texts.ts';
import type { TranscriptionSettings, VoiceSettings } from '../../contract/voice.ts';
import { type Environment, expand } from '../config/environment.ts';
import { apiBase, baseUrlProblem } from '../models/base-url.ts';
import { type Transcriber, TranscriptionFailure, transcribe } from '../models/transcribe.ts';

/** Speech to text, where the configuration names a provider for it. */
export class Transcription {
  readonly #settings: () => VoiceSettings;
  readonly #env: Environment;

  constructor(settings: () => VoiceSettings, env: Environment) {
    this.#settings = settings;
    this.#env = env;
  }

  get isConfigured(): boolean {
    return !('message' in this.#open());
  }

  async transcribe(speech: { bytes: Uint8Array; mediaType: string }, timeoutMs: number): Promise<string> {
    const opened = this.#open();
    if ('message' in opened) throw new AppError('transcription_not_configured', opened);
    try {
      return await transcribe(opened, speech, AbortSignal.timeout(timeoutMs));
    } catch (error) {
      if (!(error instanceof TranscriptionFailure)) throw error;
      throw new AppError(
        'transcription_failed',
        say('transcription_failed', { host: opened.base.host, reason: error.message }),
      );
    }
  }

  /** What is missing, in words, when something is. */
  #open(): Transcriber | Text {
    const { transcription } = this.#settings();
    if (!transcription) return say('transcription_not_configured');
    return resolve(transcription, this.#env);
  }
}

function resolve({ baseUrl, apiKey, model, language }: TranscriptionSettings, env: Environment): Transcriber | Text {
  const [url, key] = [expand(baseUrl, env), expand(apiKey ?? '', env)];
  const missing = [...url.missing, ...key.missing];
  if (missing.length > 0) return say('transcription_not_configured.variables', { variables: missing.join(', ') });
  const problem = baseUrlProblem(url.value);
  if (problem) return say('transcription_not_configured.url', { problem });
  return { base: apiBase(url.value, '/audio/transcriptions'), model, apiKey: key.value || undefined, language };
}

import { AppError } from '../../contract/errors.ts';
import type { TranscriptionSettings, VoiceSettings } from '../../contract/voice.ts';
import { apiBase, baseUrlProblem } from '../models/base-url.ts';
import { type Transcriber, TranscriptionFailure, transcribe } from '../models/transcribe.ts';
import { type Environment, expand } from './definitions/environment.ts';

/** Speech to text, where the configuration names somebody who does it. */
export class Transcription {
  readonly #settings: () => VoiceSettings;
  readonly #env: Environment;

  constructor(settings: () => VoiceSettings, env: Environment) {
    this.#settings = settings;
    this.#env = env;
  }

  get isConfigured(): boolean {
    return typeof this.#open() !== 'string';
  }

  async transcribe(speech: { bytes: Uint8Array; mediaType: string }, timeoutMs: number): Promise<string> {
    const opened = this.#open();
    if (typeof opened === 'string') throw new AppError('transcription_not_configured', opened);
    try {
      return await transcribe(opened, speech, AbortSignal.timeout(timeoutMs));
    } catch (error) {
      if (!(error instanceof TranscriptionFailure)) throw error;
      throw new AppError('transcription_failed', `${opened.base.host} could not write it down: ${error.message}`);
    }
  }

  /** What is missing, in words, when something is. */
  #open(): Transcriber | string {
    const { transcription } = this.#settings();
    if (!transcription) return 'Nobody turns speech into text here. Set voice.transcription in parley.json.';
    return resolve(transcription, this.#env);
  }
}

function resolve({ baseUrl, apiKey, model, language }: TranscriptionSettings, env: Environment): Transcriber | string {
  const [url, key] = [expand(baseUrl, env), expand(apiKey ?? '', env)];
  const missing = [...url.missing, ...key.missing];
  if (missing.length > 0) return `Set ${missing.join(' and ')} in the environment of the server and start it again.`;
  const problem = baseUrlProblem(url.value);
  if (problem) return `voice.transcription: ${problem}.`;
  return { base: apiBase(url.value, '/audio/transcriptions'), model, apiKey: key.value || undefined, language };
}

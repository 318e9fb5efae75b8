import { z } from 'zod';
import { ApiKey, HttpUrl } from './agent-settings.ts';

/** A server that speaks OpenAI's `/audio/transcriptions`. */
export const TranscriptionSettings = z.strictObject({
  baseUrl: HttpUrl.default('https://api.openai.com/v1'),
  model: z.string().min(1).max(256),
  apiKey: ApiKey.optional(),
  language: z
    .string()
    .regex(/^[a-z]{2,3}$/, 'must be a language such as en')
    .optional()
    .describe('Spoken language; default: detected'),
});
export type TranscriptionSettings = z.infer<typeof TranscriptionSettings>;

export const VoiceSettings = z.strictObject({
  transcription: TranscriptionSettings.optional().describe(
    'Transcription service for browsers without speech recognition',
  ),
});
export type VoiceSettings = z.infer<typeof VoiceSettings>;

export const Transcript = z.object({ text: z.string() });
export type Transcript = z.infer<typeof Transcript>;

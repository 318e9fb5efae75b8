import { z } from 'zod';
import { ApiKey, HttpUrl } from './agent-settings.ts';

/** A server that speaks OpenAI's `/embeddings`. */
export const EmbeddingSettings = z.strictObject({
  baseUrl: HttpUrl.default('https://api.openai.com/v1'),
  model: z.string().min(1).max(256),
  apiKey: ApiKey.optional().describe('The key, best as "${NAME}" of an environment variable'),
  dimensions: z.int().min(8).max(4096).optional().describe('How long vectors are; default: as the model makes them'),
  batch: z.int().min(1).max(512).default(64).describe('How many passages are sent at once'),
  timeoutMs: z.int().positive().default(60_000),
});
export type EmbeddingSettings = z.infer<typeof EmbeddingSettings>;

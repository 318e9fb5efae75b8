import type { PromptResponse } from '@agentclientprotocol/sdk';
import { z } from 'zod';
import type { Usage } from '../../../contract/turns.ts';

const count = z.int().nonnegative();

/** Not in the stable protocol yet; programs send it all the same. */
const Reported = z.object({
  inputTokens: count,
  outputTokens: count,
  cachedReadTokens: count.nullish(),
  thoughtTokens: count.nullish(),
});
const Quota = z.object({ token_count: z.object({ input_tokens: count, output_tokens: count }) });

/** What a prompt used, where the program says; null when it says nothing. */
export function usageOf(response: PromptResponse, cost: number): Usage | null {
  const tokens = tokensOf(response);
  if (!tokens && cost === 0) return null;
  return { inputTokens: 0, outputTokens: 0, ...tokens, ...(cost > 0 && { cost }) };
}

function tokensOf(response: PromptResponse & { usage?: unknown }): Usage | null {
  const reported = Reported.safeParse(response.usage).data;
  if (reported) {
    const { inputTokens, outputTokens, cachedReadTokens: cached, thoughtTokens: thought } = reported;
    return {
      inputTokens,
      outputTokens,
      ...(cached && { cachedInputTokens: cached }),
      ...(thought && { reasoningTokens: thought }),
    };
  }
  const quota = Quota.safeParse(response._meta?.quota).data?.token_count;
  return quota ? { inputTokens: quota.input_tokens, outputTokens: quota.output_tokens } : null;
}

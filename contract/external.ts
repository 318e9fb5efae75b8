import { z } from 'zod';
import { Id } from './names.ts';

/** What an external agent sends about a turn: a piece of its answer, its end, or that it failed. */
export const ExternalCallback = z
  .strictObject({
    sessionId: Id.optional().describe('If given, it must be the session of the turn'),
    text: z.string().optional().describe('The next piece of the answer'),
    offset: z
      .int()
      .min(0)
      .optional()
      .describe(
        'How many characters (UTF-16) of the answer were sent before. A piece that is sent again is taken once',
      ),
    end: z.boolean().optional().describe('The answer is complete'),
    error: z.string().min(1).max(2000).optional().describe('The answer failed, in words for the user'),
  })
  .refine(({ text, end, error }) => text !== undefined || end === true || error !== undefined, {
    error: 'needs text, end or error',
  });
export type ExternalCallback = z.infer<typeof ExternalCallback>;

export const CallbackTaken = z.object({
  length: z.int().describe('How many characters (UTF-16) of the answer have been taken'),
});
export type CallbackTaken = z.infer<typeof CallbackTaken>;

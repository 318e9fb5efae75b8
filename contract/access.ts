import { z } from 'zod';
import { Timestamp } from './names.ts';

export const SignIn = z.strictObject({
  code: z.string().min(1).max(200).describe('The one-time code from the sign-in link'),
});
export const SignInLink = z.object({ url: z.string(), expiresAt: Timestamp });
export type SignInLink = z.infer<typeof SignInLink>;

export const Health = z.object({
  status: z.literal('ok'),
  name: z.literal('parley'),
  version: z.string(),
  instance: z.string(),
});
export type Health = z.infer<typeof Health>;

export const AuditEntry = z.object({
  id: z.string(),
  at: Timestamp,
  action: z.string(),
  object: z.string().nullable(),
  detail: z.string().nullable(),
  requestId: z.string().nullable(),
});
export const AuditList = z.object({ entries: z.array(AuditEntry).describe('Newest first') });
export type AuditList = z.infer<typeof AuditList>;

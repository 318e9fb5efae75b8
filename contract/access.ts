import { z } from 'zod';
import { Id, Timestamp } from './names.ts';
import { PAGE_KEY_HEADER } from './page-key.ts';

export const SignIn = z.strictObject({
  code: z.string().min(1).max(200).describe('The one-time code from the sign-in link'),
});
export const SignedIn = z.object({
  id: Id,
  key: z.string().describe(`The page keeps it and sends it as ${PAGE_KEY_HEADER}; the cookie alone opens nothing`),
  expiresAt: Timestamp,
});
export type SignedIn = z.infer<typeof SignedIn>;

export const SignInLink = z.object({ url: z.string(), expiresAt: Timestamp });
export type SignInLink = z.infer<typeof SignInLink>;

export const BrowserSignIn = z.object({
  id: Id,
  browser: z.string().describe('As the browser identified itself, for example "Firefox on Linux"'),
  createdAt: Timestamp,
  expiresAt: Timestamp,
  isCurrent: z.boolean().describe('Whether this request came from it'),
  isActive: z.boolean().describe('Whether it has a page open now'),
});
export type BrowserSignIn = z.infer<typeof BrowserSignIn>;
export const SignInList = z.object({ signIns: z.array(BrowserSignIn).describe('Newest first') });
export type SignInList = z.infer<typeof SignInList>;

export const Health = z.object({ status: z.literal('ok') });
export type Health = z.infer<typeof Health>;

export const ServerChallenge = z.strictObject({
  nonce: z
    .string()
    .regex(/^[A-Za-z0-9_-]{22,128}$/)
    .describe('Random, at least 128 bits, used once'),
});
export const ServerProof = z.object({
  proof: z.string().describe('HMAC-SHA256 of the host, port and nonce with the token as its key, in base64url'),
});
export type ServerProof = z.infer<typeof ServerProof>;

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

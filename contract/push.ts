import { z } from 'zod';
import { Id, Timestamp } from './names.ts';

const base64url = (bytes: number) =>
  z
    .string()
    .regex(/^[A-Za-z0-9_-]+=*$/, 'must be base64url')
    .refine((text) => Math.floor((text.replaceAll('=', '').length * 3) / 4) === bytes, `must be ${bytes} bytes`);

export const PushKey = z.object({
  publicKey: z.string().describe('The server’s VAPID key, which a browser subscribes with'),
});
export type PushKey = z.infer<typeof PushKey>;

/** As `PushSubscription.toJSON()` of a browser gives it, with a name for the device. */
export const SubscribeToPush = z.strictObject({
  endpoint: z.url({ protocol: /^https?$/, error: 'must be the URL of a push service' }).max(2000),
  keys: z.strictObject({ p256dh: base64url(65), auth: base64url(16) }),
  name: z.string().trim().min(1).max(100).describe('What the person calls the device'),
  language: z.string().max(20).default('en').describe('Of the notifications'),
});
export type SubscribeToPush = z.output<typeof SubscribeToPush>;

export const PushSubscription = z.object({
  id: Id,
  name: z.string(),
  service: z.string().describe('The host of the push service'),
  createdAt: Timestamp,
  lastSentAt: Timestamp.nullable().describe('When a notification was taken last'),
  problem: z.string().nullable().describe('Why the last notification was not taken'),
});
export type PushSubscription = z.infer<typeof PushSubscription>;

export const PushSubscriptionList = z.object({ subscriptions: z.array(PushSubscription).describe('Oldest first') });
export type PushSubscriptionList = z.infer<typeof PushSubscriptionList>;

/** What the push worker of the web app is sent; only the browser that subscribed can read it. */
export const PushMessage = z.object({
  kind: z.enum(['approval', 'question', 'limit', 'failure', 'test']),
  language: z.string(),
  agent: z.string().describe('What the agent is called'),
  /** The tool that waits for approval; empty otherwise. */
  tool: z.string(),
  session: z.string().describe('The title of the session'),
  url: z.string().describe('The page to open'),
  tag: z.string().describe('A later notification with this tag replaces the earlier one'),
});
export type PushMessage = z.infer<typeof PushMessage>;

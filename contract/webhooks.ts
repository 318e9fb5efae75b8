import { z } from 'zod';
import { Author } from './artifacts.ts';
import { AgentId, Folder, Id, Timestamp, WebhookName } from './names.ts';
import { SessionMode } from './sessions.ts';
import { WEBHOOK_EVENTS } from './webhook-events.ts';

export const WebhookEvent = z.enum(WEBHOOK_EVENTS);
export type WebhookEvent = z.infer<typeof WebhookEvent>;
export const DeliveredEvent = z.enum([...WEBHOOK_EVENTS, 'webhook.test']);
export type DeliveredEvent = z.infer<typeof DeliveredEvent>;

/** How many characters of one text are sent along. */
export const MOST_WEBHOOK_TEXT = 200_000;
export const MOST_TEMPLATE = 20_000;

const unique = <T>(values: T[]): T[] => [...new Set(values)];

const outgoingFields = {
  name: WebhookName.describe('Unique among your outgoing webhooks'),
  url: z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
    .max(2000)
    .describe('What is called'),
  events: z.array(WebhookEvent).min(1).transform(unique).describe('What is told'),
  agents: z.array(AgentId).max(100).transform(unique).describe('Only what these agents do; empty: all agents'),
  sessionId: Id.nullable().describe('Only what happens in this session; null: in all sessions'),
  texts: z
    .boolean()
    .describe('Whether titles, names and what was said are sent along. Without them: ids, kinds, states and times'),
};

export const WebhookState = z.enum(['active', 'paused', 'disabled']);
export type WebhookState = z.infer<typeof WebhookState>;

/** `withdrawn`: what it told of was deleted before it was delivered. */
export const DeliveryState = z.enum(['pending', 'delivered', 'failed', 'withdrawn']);
export type DeliveryState = z.infer<typeof DeliveryState>;

/** One event for one webhook, however often it is sent. Its id is sent as `webhook-id`. */
export const WebhookDelivery = z.object({
  id: Id,
  webhookId: Id,
  event: DeliveredEvent,
  sequence: z.int().describe('Rises by one with every event of the webhook'),
  state: DeliveryState,
  attempts: z.int(),
  nextAt: Timestamp.nullable().describe('When it is sent (again)'),
  status: z.int().nullable().describe('The HTTP status of the last answer'),
  response: z.string().nullable().describe('The beginning of the last answer'),
  error: z.string().nullable().describe('Why the last attempt failed'),
  durationMs: z.int().nullable().describe('Of the last attempt'),
  body: z.string().nullable().describe('What is sent; null once what it told of is deleted'),
  sessionId: Id.nullable(),
  createdAt: Timestamp,
  attemptedAt: Timestamp.nullable(),
  endedAt: Timestamp.nullable(),
});
export type WebhookDelivery = z.infer<typeof WebhookDelivery>;

export const OutgoingWebhook = z.object({
  id: Id,
  name: z.string(),
  url: z.string(),
  events: z.array(WebhookEvent),
  agents: z.array(z.string()),
  sessionId: Id.nullable(),
  texts: z.boolean(),
  state: WebhookState,
  pausedAt: Timestamp.nullable(),
  disabledBecause: z.string().nullable().describe('Why the server disabled it'),
  failingSince: Timestamp.nullable().describe('When the first attempt failed since the last one that was delivered'),
  pending: z.int().describe('Events that are still to be delivered'),
  lastDelivery: WebhookDelivery.omit({ body: true, response: true }).nullable().describe('The newest event'),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type OutgoingWebhook = z.infer<typeof OutgoingWebhook>;

export const OutgoingWebhookList = z.object({ webhooks: z.array(OutgoingWebhook).describe('By name') });
export type OutgoingWebhookList = z.infer<typeof OutgoingWebhookList>;

export const CreateOutgoingWebhook = z.strictObject({
  name: outgoingFields.name,
  url: outgoingFields.url,
  events: outgoingFields.events,
  agents: outgoingFields.agents.default([]),
  sessionId: outgoingFields.sessionId.default(null),
  texts: outgoingFields.texts.default(true),
});
export type CreateOutgoingWebhook = z.output<typeof CreateOutgoingWebhook>;
export type NewOutgoingWebhook = z.input<typeof CreateOutgoingWebhook>;

/** What is not named stays. */
export const PatchOutgoingWebhook = z.strictObject(outgoingFields).partial();
export type PatchOutgoingWebhook = z.output<typeof PatchOutgoingWebhook>;

export const WebhookSecret = z
  .string()
  .describe('`whsec_` and a key in base64. Shown only now: a lost one is replaced by a new one');

export const CreatedOutgoingWebhook = z.object({ webhook: OutgoingWebhook, secret: WebhookSecret });
export type CreatedOutgoingWebhook = z.infer<typeof CreatedOutgoingWebhook>;

/** For a day, the secret before it counts as well. */
export const NewWebhookSecret = z.object({ secret: WebhookSecret });
export type NewWebhookSecret = z.infer<typeof NewWebhookSecret>;

const page = (what: string) =>
  z.strictObject({
    before: Id.optional().describe(`Only ${what} before this one`),
    limit: z.coerce.number().int().min(1).max(200).default(50),
  });

export const DeliveryQuery = page('deliveries');
export const WebhookDeliveryList = z.object({
  deliveries: z.array(WebhookDelivery).describe('Newest first'),
  isComplete: z.boolean().describe('There are no older ones'),
});
export type WebhookDeliveryList = z.infer<typeof WebhookDeliveryList>;

/** How requests are signed: as Standard Webhooks says, or as GitHub does. */
export const WebhookSignature = z.enum(['standard', 'github']);
export type WebhookSignature = z.infer<typeof WebhookSignature>;

const incomingFields = {
  name: WebhookName.describe('Unique among your incoming webhooks; its messages bear it'),
  signature: WebhookSignature.describe('standard: Standard Webhooks; github: X-Hub-Signature-256'),
  sessionId: Id.nullable().describe('The session that the messages are sent to; null: a new session each time'),
  agentId: AgentId.nullable().describe('Who answers; null: the primary of the session'),
  folder: Folder.nullable().describe('Of the sessions that it begins'),
  mode: SessionMode.describe('Of the sessions that it begins'),
  template: z
    .string()
    .max(MOST_TEMPLATE)
    .nullable()
    .describe(
      'The message: {{a.b}} is a value of the JSON body, {{body}} all of it, {{header.x-name}} a header. null: the body in a code block',
    ),
};

export const CallState = z.enum(['accepted', 'failed']);
export type CallState = z.infer<typeof CallState>;

/** One signed request. */
export const WebhookCall = z.object({
  id: Id,
  webhookId: Id,
  callerId: z.string().describe("The request's own id; a request with a known id does nothing"),
  state: CallState,
  sessionId: Id.nullable().describe('Where the message went'),
  turnId: Id.nullable(),
  error: z.string().nullable().describe('Why no message was made of it'),
  bytes: z.int(),
  createdAt: Timestamp,
});
export type WebhookCall = z.infer<typeof WebhookCall>;

export const IncomingWebhook = z.object({
  id: Id,
  ...incomingFields,
  name: z.string(),
  path: z.string().describe('Where requests go, on this server'),
  url: z.string().nullable().describe('The same as others reach it (server.publicUrl); null where that is not set'),
  state: WebhookState,
  pausedAt: Timestamp.nullable(),
  disabledBecause: z.string().nullable().describe('Why the server disabled it'),
  lastCall: WebhookCall.nullable(),
  lastRefused: z
    .object({ at: Timestamp, reason: z.string(), count: z.int() })
    .nullable()
    .describe('The newest request that was refused since the server started, and how many there were'),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type IncomingWebhook = z.infer<typeof IncomingWebhook>;

export const IncomingWebhookList = z.object({ webhooks: z.array(IncomingWebhook).describe('By name') });
export type IncomingWebhookList = z.infer<typeof IncomingWebhookList>;

export const CreateIncomingWebhook = z.strictObject({
  name: incomingFields.name,
  signature: incomingFields.signature.default('standard'),
  sessionId: incomingFields.sessionId.default(null),
  agentId: incomingFields.agentId.default(null),
  folder: incomingFields.folder.default(null),
  mode: incomingFields.mode.default('full'),
  template: incomingFields.template.default(null),
});
export type CreateIncomingWebhook = z.output<typeof CreateIncomingWebhook>;
export type NewIncomingWebhook = z.input<typeof CreateIncomingWebhook>;

/** What is not named stays; `null` clears. */
export const PatchIncomingWebhook = z.strictObject(incomingFields).partial();
export type PatchIncomingWebhook = z.output<typeof PatchIncomingWebhook>;

export const CreatedIncomingWebhook = z.object({ webhook: IncomingWebhook, secret: WebhookSecret });
export type CreatedIncomingWebhook = z.infer<typeof CreatedIncomingWebhook>;

export const CallQuery = page('requests');
export const WebhookCallList = z.object({
  calls: z.array(WebhookCall).describe('Newest first'),
  isComplete: z.boolean().describe('There are no older ones'),
});
export type WebhookCallList = z.infer<typeof WebhookCallList>;

export const WebhookTaken = z.object({
  id: Id.describe('Of the request in the history of the webhook'),
  duplicate: z.boolean().describe('A request with this id was taken before; nothing was done'),
});
export type WebhookTaken = z.infer<typeof WebhookTaken>;

/** Live only: webhooks, deliveries or requests have changed. */
export const WebhooksChanged = z.object({ type: z.literal('webhooks.changed') });
export type WebhooksChanged = z.infer<typeof WebhooksChanged>;

const session = z.object({ id: Id, title: z.string().optional() });
const turnFacts = z.object({
  id: Id,
  agentId: z.string(),
  state: z.string(),
  parentTurnId: Id.nullable().describe('The turn that asked for it, when it is a delegated one'),
  error: z.object({ code: z.string() }).nullable(),
});
const actionFacts = z.object({
  id: Id,
  kind: z.string(),
  state: z.string(),
  agentId: z.string(),
  turnId: Id,
  tool: z.string().nullable().describe('That waits for approval'),
  question: z.string().optional(),
});

/** The JSON that is sent: `data` depends on `type`. Texts are there only where the webhook sends them. */
export const WebhookPayload = z.object({
  id: Id,
  type: DeliveredEvent,
  timestamp: Timestamp.describe('When it happened'),
  sequence: z
    .int()
    .describe('Rises by one with every event of the webhook: what is missing can be told, and what came late'),
  data: z.union([
    z.object({ session: session.extend({ agentId: z.string().nullable() }) }).describe('session.created'),
    z
      .object({
        session,
        turn: turnFacts,
        answer: z.object({ messageId: Id, text: z.string().optional(), isCut: z.boolean().optional() }).nullable(),
      })
      .describe('turn.settled'),
    z.object({ session, action: actionFacts }).describe('action.opened, action.settled'),
    z
      .object({
        artifact: z.object({ id: Id, kind: z.string(), version: z.int(), name: z.string().optional() }),
        changes: z.array(z.string()).describe('Kinds of changes, oldest first'),
        by: Author,
      })
      .describe('artifact.changed'),
    z
      .object({
        schedule: z.object({ id: Id, agentId: z.string().nullable(), name: z.string().optional() }),
        run: z.object({ id: Id, state: z.string(), sessionId: Id.nullable(), turnId: Id.nullable() }),
      })
      .describe('schedule.ran'),
    z.object({}).describe('webhook.test'),
  ]),
});
export type WebhookPayload = z.infer<typeof WebhookPayload>;

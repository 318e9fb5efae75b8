import { z } from 'zod';
import { Action } from './actions.ts';
import { Delegation } from './delegation.ts';
import { TurnPartial } from './events.ts';
import { MessageList } from './messages.ts';
import { Session } from './sessions.ts';
import { QueueList, TurnList } from './turns.ts';

/** Everything a client needs to show a session and to follow it from there, in one answer that belongs together. */
export const SessionSnapshot = z.object({
  session: Session.describe('Follow the event stream after its `lastSeq`'),
  messages: MessageList.describe('The newest page, as `GET …/messages` gives it'),
  queue: QueueList.shape.queue,
  turns: TurnList.describe('The newest page, as `GET …/turns` gives it'),
  actions: z.array(Action).describe('Open actions of this session, oldest first'),
  delegations: z.array(Delegation).describe('The newest 100, oldest first'),
  partials: z.array(TurnPartial).describe('Text of running turns since their last stored message'),
});
export type SessionSnapshot = z.infer<typeof SessionSnapshot>;

export const SnapshotQuery = z.strictObject({
  messages: z.coerce.number().int().min(1).max(500).default(60).describe('How many of the newest messages'),
  turns: z.coerce.number().int().min(1).max(500).default(50).describe('How many of the newest turns'),
});

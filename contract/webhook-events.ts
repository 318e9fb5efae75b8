/** What a webhook can tell. `webhook.test` is sent only when it is asked for. */
export const WEBHOOK_EVENTS = [
  'session.created',
  'turn.settled',
  'action.opened',
  'action.settled',
  'artifact.changed',
  'schedule.ran',
] as const;

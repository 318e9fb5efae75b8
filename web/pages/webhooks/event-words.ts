import type { DeliveredEvent } from '../../../contract/webhooks.ts';
import type { WebhookTextKey } from '../../i18n/en.ts';

/** What an event is called. */
export const EVENT_WORDS = {
  'action.opened': 'webhooks.event.actionOpened',
  'action.settled': 'webhooks.event.actionSettled',
  'artifact.changed': 'webhooks.event.artifactChanged',
  'schedule.ran': 'webhooks.event.scheduleRan',
  'session.created': 'webhooks.event.sessionCreated',
  'turn.settled': 'webhooks.event.turnSettled',
  'webhook.test': 'webhooks.event.test',
} as const satisfies Record<DeliveredEvent, WebhookTextKey>;

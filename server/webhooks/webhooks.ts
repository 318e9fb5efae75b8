import type { Limits, WebhookSettings } from '../../contract/config.ts';
import type { Receipt } from '../../contract/turns.ts';
import type { EventLog } from '../events/log.ts';
import type { Acceptance } from '../turns/acceptance.ts';
import { WebhookChanges } from './changes.ts';
import { IncomingWebhooks } from './incoming.ts';
import { OutgoingWebhooks } from './outgoing.ts';
import { WebhookReceiver } from './receive.ts';
import { WebhookRecorder } from './recorder.ts';
import { RefusedRequests } from './refused-requests.ts';
import { WebhookSender } from './sender.ts';

export interface WebhookDeps {
  readonly log: EventLog;
  limits(): Limits;
  settings(): WebhookSettings;
  /** Hosts in a private network that may be called. */
  allowedHosts(): readonly string[];
  /** Where others reach the server, if that is known. */
  publicOrigin(): string | undefined;
  /** Throws unless there is such an agent. */
  requireAgent(agentId: string): void;
  accept(wanted: Acceptance): Promise<Receipt>;
  /** Tells the owner's open pages. */
  changed(owner: string): void;
  report(problem: string, error: unknown): void;
}

/** Webhooks in both directions. */
export interface Webhooks {
  readonly outgoing: OutgoingWebhooks;
  readonly incoming: IncomingWebhooks;
  readonly receiver: WebhookReceiver;
  readonly sender: WebhookSender;
}

/** To be opened before anything else is written: what happens from then on is recorded. */
export async function openWebhooks(deps: WebhookDeps): Promise<Webhooks> {
  const { log, limits } = deps;
  const changes = new WebhookChanges(deps.changed);
  const changed = (owner: string) => changes.note(owner);
  const refused = new RefusedRequests();
  const recorder: WebhookRecorder = new WebhookRecorder({
    log,
    changed,
    limit: () => limits().webhookPending,
    recorded: () => sender.wake(),
  });
  const sender: WebhookSender = new WebhookSender({ ...deps, changed, recorder });
  await recorder.load();
  const limit = () => limits().webhooksPerUser;
  return {
    outgoing: new OutgoingWebhooks({ ...deps, changed, recorder, sender, limit }),
    incoming: new IncomingWebhooks({ ...deps, changed, refused, limit }),
    receiver: new WebhookReceiver({ ...deps, changed, refused }),
    sender,
  };
}

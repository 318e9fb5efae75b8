import { setImmediate } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type EventLog, pruneEvents } from './events/log.ts';
import type { RouteDeps } from './http/route-deps.ts';
import { removeDeleted } from './sessions/detached.ts';
import type { ScratchSession } from './sessions/store.ts';
import { deleteOldAudit } from './storage/audit.ts';
import { removeScratch } from './turns/remove-sessions.ts';
import { deleteOldRequests } from './turns/store.ts';

const EXPIRE_EVERY_MS = 1000;
const PRUNE_EVERY_MS = 6 * 3600_000;
const PRUNE_AFTER_START_MS = 5000;
const SWEEP_EVERY_MS = 3600_000;

/** What has to be done now and then as long as the server runs. Returns what ends it. */
export function startHousekeeping(deps: RouteDeps, log: Logger): () => void {
  const guarded = (problem: string, chore: () => Promise<unknown>) => () =>
    void chore().catch((error) => log.error({ err: error }, problem));
  const sweep = guarded('unsent files could not be deleted', () => deps.files.sweep());
  const remove = guarded('the contents of deleted sessions could not be deleted', () => removeDeleted(deps.log));
  const prune = guarded('old events, model inputs and audit entries could not be pruned', () => pruneOld(deps));
  const removeTried = guarded(LEFT_SCRATCH, () => removeScratch(deps.turns.deps, isLeftAlone(deps)));
  const timers = [
    setInterval(
      guarded('old actions could not be expired', () => giveUpActions(deps)),
      EXPIRE_EVERY_MS,
    ),
    setInterval(prune, PRUNE_EVERY_MS),
    // A server that is restarted more often than that prunes too, once it has started.
    setTimeout(prune, PRUNE_AFTER_START_MS),
    setInterval(sweep, SWEEP_EVERY_MS),
    setInterval(remove, SWEEP_EVERY_MS),
    setInterval(removeTried, SWEEP_EVERY_MS),
  ];
  for (const timer of timers) timer.unref();
  sweep();
  // Agents that were tried have ended with the server that knew them.
  guarded(LEFT_SCRATCH, () => removeScratch(deps.turns.deps, ({ agent_id }) => !isKnown(deps, agent_id)))();
  removeTried();
  return () => timers.forEach((timer) => void clearInterval(timer));
}

const LEFT_SCRATCH = 'sessions that only tried something could not be deleted';
const HOUR_MS = 3600_000;

function isLeftAlone({ configuration }: RouteDeps): (session: ScratchSession) => boolean {
  const since = Date.now() - configuration.current.storage.keepTriedHours * HOUR_MS;
  return (session) => session.last_activity_at < since;
}

function isKnown({ agents }: RouteDeps, agentId: string | null): boolean {
  return agentId === null || agents.find(agentId) !== undefined;
}

/** Expires unanswered actions, only when the configuration sets a time for it. */
async function giveUpActions({ configuration, actions }: RouteDeps): Promise<void> {
  if (configuration.current.approvals.expireAfterSeconds) await actions.expire();
}

const DAY_MS = 24 * 3600_000;
const PRUNED_AT_ONCE = 500;
/** So long what agents were made to forget can be restored. */
const FORGOTTEN_DAYS = 7;

/** Deletes what is only kept for some days. Messages are not among it. */
async function pruneOld({ log, configuration, memories }: RouteDeps): Promise<void> {
  const { stream, storage } = configuration.current;
  await pruneEvents(log, stream.keepDays);
  await pruneRows(log, storage.keepModelInputDays, deleteOldRequests);
  await pruneRows(log, storage.keepAuditDays, deleteOldAudit);
  while ((await memories.eraseForgotten(Date.now() - FORGOTTEN_DAYS * DAY_MS)) > 0) await setImmediate();
}

type DeleteOld = (db: EventLog['db'], before: number, limit: number) => Promise<number>;

/** In short transactions, so that others need not wait. */
async function pruneRows(log: EventLog, days: number | null, deleteOld: DeleteOld): Promise<void> {
  if (days === null) return;
  const before = Date.now() - days * DAY_MS;
  while ((await log.write((tx) => deleteOld(tx.db, before, PRUNED_AT_ONCE))) > 0) await setImmediate();
}

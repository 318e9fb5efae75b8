import type { Logger } from 'pino';
import { pruneEvents } from './events/retention.ts';
import type { World } from './http/world.ts';

const EXPIRE_EVERY_MS = 1000;
const PRUNE_EVERY_MS = 6 * 3600_000;
const SWEEP_EVERY_MS = 3600_000;

/** What has to be done now and then as long as the server runs. Returns what ends it. */
export function keepHouse(world: World, log: Logger): () => void {
  const guarded = (problem: string, chore: () => Promise<unknown>) => () =>
    void chore().catch((error) => log.error({ err: error }, problem));
  const sweep = guarded('forgotten files could not be deleted', () => world.files.sweep());
  const timers = [
    setInterval(
      guarded('old actions could not be given up', () => giveUpActions(world)),
      EXPIRE_EVERY_MS,
    ),
    setInterval(
      guarded('old events could not be pruned', () => pruneOld(world)),
      PRUNE_EVERY_MS,
    ),
    setInterval(sweep, SWEEP_EVERY_MS),
  ];
  for (const timer of timers) timer.unref();
  sweep();
  return () => timers.forEach((timer) => void clearInterval(timer));
}

/** Only when the configuration says that what nobody answers is given up. */
async function giveUpActions({ configuration, actions }: World): Promise<void> {
  if (configuration.current.approvals.expireAfterSeconds) await actions.expire();
}

/** Old events are only there for clients to resume from; what was said is kept elsewhere, for good. */
async function pruneOld({ log, configuration }: World): Promise<void> {
  await pruneEvents(log, configuration.current.stream.keepDays);
}

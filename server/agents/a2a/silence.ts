import { say } from '../../../contract/texts.ts';
import { toTurnError } from '../../../contract/turns.ts';
import { TextAgentFailure } from '../text-agent.ts';

export const QUIET = Symbol('quiet');

/** What a promise resolves with, or `QUIET` when that takes too long. */
export async function within<T>(ms: number, awaited: Promise<T>): Promise<T | typeof QUIET> {
  const { promise: late, resolve } = Promise.withResolvers<typeof QUIET>();
  const timer = setTimeout(() => resolve(QUIET), ms);
  try {
    return await Promise.race([awaited, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** How long a peer may be silent; waits that it has asked for do not count. */
export interface Silence {
  readonly ms: number;
  /** When the last of these waits is over, by `performance.now()`. */
  waitsUntil(): number;
}

/** Gives what comes until nothing has come for so long; the return value is true then, and false when all has come. */
export async function* untilQuiet<T>(events: AsyncGenerator<T>, silence: Silence): AsyncGenerator<T, boolean> {
  try {
    for (;;) {
      const next = await nextOf(events, silence);
      if (next === QUIET) return true;
      if (next.done) return false;
      yield next.value;
    }
  } finally {
    // A peer that is silent does not hold up the end.
    void events.return(undefined).catch(() => undefined);
  }
}

async function nextOf<T>(
  events: AsyncGenerator<T>,
  { ms, waitsUntil }: Silence,
): Promise<IteratorResult<T> | typeof QUIET> {
  const pending = events.next();
  for (let leftMs = ms; ; leftMs = waitsUntil() + ms - performance.now()) {
    const next = leftMs > 0 ? await within(leftMs, pending) : QUIET;
    if (next !== QUIET || leftMs <= 0) return next;
  }
}

/** Fails when nothing is told for too long. Signs of life without contents do not count. */
export async function* withinIdleTime<T>(events: AsyncGenerator<T>, silence: Silence): AsyncGenerator<T> {
  if (yield* untilQuiet(events, silence)) throw tooQuiet(silence.ms);
}

export function tooQuiet(idleMs: number): TextAgentFailure {
  const seconds = Math.round(idleMs / 1000);
  return new TextAgentFailure(toTurnError('agent_idle', say('agent_idle', { seconds }), true));
}

import { setTimeout as sleep } from 'node:timers/promises';

const MOST = 64_000;

/** Joins pieces that come soon after each other, and holds none back for longer than that. */
export async function* gather(pieces: AsyncIterable<string>, withinMs: number): AsyncGenerator<string> {
  const iterator = pieces[Symbol.asyncIterator]();
  let next = iterator.next();
  for (let piece = await next; !piece.done; piece = await next) {
    let text = piece.value;
    next = iterator.next();
    const timeUp = sleep(withinMs, undefined, { ref: false });
    for (let more = await Promise.race([next, timeUp]); more && !more.done; more = await Promise.race([next, timeUp])) {
      text += more.value;
      next = iterator.next();
      if (text.length > MOST) break;
    }
    yield text;
  }
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
const POOL_BYTES = 2048;
const BYTES_PER_ID = 10;

/** Random bytes are fetched for many ids at once: asking for a few costs as much as asking for thousands. */
const pool = new Uint8Array(POOL_BYTES);
let used = POOL_BYTES;
let lastTime = 0;
let counter = 0;

/** UUIDv7: sortable by the moment it was made, also within one millisecond of one process. */
export function newId(now: number = Date.now()): string {
  const start = takeRandom();
  advance(now, start);
  const time = lastTime.toString(16).padStart(12, '0');
  const middle = counter.toString(16).padStart(3, '0');
  let tail = `${HEX[(pool[start + 2]! & 0x3f) | 0x80]}${HEX[pool[start + 3]!]}-`;
  for (let index = start + 4; index < start + BYTES_PER_ID; index++) tail += HEX[pool[index]!];
  return `${time.slice(0, 8)}-${time.slice(8)}-7${middle}-${tail}`;
}

function takeRandom(): number {
  if (used + BYTES_PER_ID > POOL_BYTES) {
    crypto.getRandomValues(pool);
    used = 0;
  }
  used += BYTES_PER_ID;
  return used - BYTES_PER_ID;
}

/** A new millisecond begins at a random count; within one, and when the clock goes back, ids count on. */
function advance(now: number, random: number): void {
  counter = now <= lastTime ? counter + 1 : ((pool[random]! & 0x07) << 8) | pool[random + 1]!;
  lastTime = Math.max(now, lastTime);
  if (counter <= 0xfff) return;
  lastTime += 1;
  counter = 0;
}

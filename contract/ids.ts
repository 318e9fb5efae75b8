let lastTime = 0;
let counter = 0;

/** UUIDv7: sortable by the moment it was made, also within one millisecond of one process. */
export function newId(now: number = Date.now()): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  counter = now <= lastTime ? counter + 1 : ((bytes[6]! & 0x07) << 8) | bytes[7]!;
  lastTime = Math.max(now, lastTime);
  if (counter > 0xfff) {
    lastTime += 1;
    counter = 0;
  }
  const time = lastTime.toString(16).padStart(12, '0');
  const tail = Array.from(bytes.subarray(8), (byte) => byte.toString(16).padStart(2, '0')).join('');
  const variant = ((Number.parseInt(tail[0]!, 16) & 0x3) | 0x8).toString(16);
  const middle = counter.toString(16).padStart(3, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${middle}-${variant}${tail.slice(1, 4)}-${tail.slice(4)}`;
}

const UNITS: readonly [seconds: number, name: string][] = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'min'],
];

/** `3 min ago`; a date once it is more than a month. */
export function ago(time: string, now = Date.now()): string {
  const seconds = Math.max(0, (now - Date.parse(time)) / 1000);
  if (seconds > 31 * 86_400) return time.slice(0, 10);
  const unit = UNITS.find(([length]) => seconds >= length);
  return unit ? `${Math.floor(seconds / unit[0])} ${unit[1]} ago` : 'just now';
}

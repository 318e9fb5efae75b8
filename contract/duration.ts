/** `820 ms`, `3.4 s`, `13 m 52 s`, `1 h 3 m`. */
export function formatDuration(ms: number, locale = 'en'): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 59_950) return `${(ms / 1000).toLocaleString(locale, ONE_DIGIT)} s`;
  const seconds = Math.round(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return joined([minutes, 'm'], [seconds % 60, 's']);
  return joined([Math.floor(minutes / 60), 'h'], [minutes % 60, 'm']);
}

const ONE_DIGIT = { minimumFractionDigits: 1, maximumFractionDigits: 1 };

function joined(large: [number, string], small: [number, string]): string {
  return small[0] === 0 ? large.join(' ') : `${large.join(' ')} ${small.join(' ')}`;
}

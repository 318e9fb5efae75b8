import { language } from './text.ts';

/** `12 kB`, as the chosen language writes it. */
export function fileSize(bytes: number): string {
  if (bytes < 1e3) return `${bytes} B`;
  const [unit, size] = bytes < 1e6 ? (['kilobyte', 1e3] as const) : (['megabyte', 1e6] as const);
  const digits = unit === 'megabyte' && bytes < 10e6 ? 1 : 0;
  return new Intl.NumberFormat(language(), { style: 'unit', unit, maximumFractionDigits: digits }).format(bytes / size);
}

import { language } from '../i18n/text.ts';

const UNITS = [
  ['byte', 1],
  ['kilobyte', 1e3],
  ['megabyte', 1e6],
] as const;

/** `12 kB`, as the chosen language writes it. */
export function fileSize(bytes: number): string {
  const [unit, size] = UNITS.findLast(([, least]) => bytes >= least) ?? UNITS[0];
  const digits = unit === 'megabyte' && bytes < 10e6 ? 1 : 0;
  return new Intl.NumberFormat(language(), { style: 'unit', unit, maximumFractionDigits: digits }).format(bytes / size);
}

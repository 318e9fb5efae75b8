import { language } from './text.ts';

/** An amount in the currency of the configured prices. Amounts that stand together should have the same digits. */
export function money(amount: number, currency: string, digits = digitsFor([amount])): string {
  const fraction = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  // What is configured may be no currency of the deps's, such as "credits".
  if (!/^[A-Z]{3}$/.test(currency)) return `${new Intl.NumberFormat(language(), fraction).format(amount)} ${currency}`;
  return new Intl.NumberFormat(language(), { style: 'currency', currency, ...fraction }).format(amount);
}

/** Two, or four where one of the amounts is smaller than a cent. */
export function digitsFor(amounts: readonly number[]): 2 | 4 {
  return amounts.some((amount) => amount > 0 && amount < 0.01) ? 4 : 2;
}

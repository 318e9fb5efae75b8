import { language } from './text.ts';

/** An amount in the currency of the configured prices. Small ones keep the digits that say something. */
export function money(amount: number, currency: string): string {
  const digits =
    amount === 0 || amount >= 0.01
      ? { minimumFractionDigits: 2, maximumFractionDigits: 2 }
      : { maximumSignificantDigits: 2 };
  // What is configured may be no currency of the world's, such as "credits".
  if (!/^[A-Z]{3}$/.test(currency)) return `${new Intl.NumberFormat(language(), digits).format(amount)} ${currency}`;
  return new Intl.NumberFormat(language(), { style: 'currency', currency, ...digits }).format(amount);
}

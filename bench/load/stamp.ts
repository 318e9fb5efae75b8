/**
 * Each token of the scripted model is `~` and the time at which it was written, in five characters: whoever reads it
 * anywhere later knows how long it took, without looking into the frames around it.
 */
const MODULUS = 36 ** 5;

export function stampNow(): number {
  return Date.now() % MODULUS;
}

export function stampedToken(): string {
  return `~${stampNow().toString(36).padStart(5, '0')} `;
}

export function readStamp(text: string, at: number): number {
  return Number.parseInt(text.slice(at + 1, at + 6), 36);
}

export function ageOf(stamp: number, now: number): number {
  return (now - stamp + MODULUS) % MODULUS;
}

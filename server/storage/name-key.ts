/** A name as links and tools look for it: upper and lower case, and runs of spaces, are the same. */
export function nameKey(name: string): string {
  return name.normalize('NFC').toLowerCase().replace(/\s+/g, ' ').trim();
}

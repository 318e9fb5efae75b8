/** Greens to pinks of one lightness; reds and yellows are kept for status. */
const PALETTE = [
  '#709349',
  '#489a68',
  '#0f9b89',
  '#0099a0',
  '#1195b4',
  '#478cc4',
  '#6584c9',
  '#807cc6',
  '#9674bb',
  '#a76eab',
  '#b56a95',
] as const;

/** A colour that an agent without one keeps for as long as it keeps its id. */
export function colorOf(agentId: string): string {
  return PALETTE[fnv1a(agentId) % PALETTE.length]!;
}

function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}

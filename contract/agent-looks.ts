import type { AgentLook } from './agents.ts';

interface Named {
  readonly agentId: string;
  readonly displayName: string;
  readonly color?: string | null;
  readonly icon?: string | null;
}

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

/**
 * The look of every agent. Each without a colour of its own takes the one that the fewest before it have, so that
 * an agent keeps its colour when others are added after it. Initials are unique as long as names allow it.
 */
export function agentLooks(agents: readonly Named[]): Map<string, AgentLook> {
  const uses = PALETTE.map(() => 0);
  const taken = new Set<string>();
  const looks = new Map<string, AgentLook>();
  for (const { agentId, displayName, color = null, icon = null } of agents) {
    const at = leastUsed(uses, preferred(agentId));
    if (color === null) uses[at]! += 1;
    const options = initialsOf(displayName);
    const initials = options.find((option) => !taken.has(option)) ?? options[0]!;
    taken.add(initials);
    looks.set(agentId, { color: color ?? PALETTE[at]!, initials, icon });
  }
  return looks;
}

/** Of an agent that no longer exists. */
export function lookOfUnknown(agentId: string): AgentLook {
  const name = agentId.split('/').at(-1)!;
  return { color: PALETTE[preferred(agentId)]!, initials: initialsOf(name)[0]!, icon: null };
}

function preferred(agentId: string): number {
  let hash = 0;
  for (const character of agentId) hash = (hash * 31 + character.codePointAt(0)!) >>> 0;
  return hash % PALETTE.length;
}

function leastUsed(uses: readonly number[], from: number): number {
  const fewest = Math.min(...uses);
  const steps = uses.findIndex((_, step) => uses[(from + step) % uses.length] === fewest);
  return (from + steps) % uses.length;
}

/** Best first: `Code Reviewer` is CR, `Reviewer` RE, and another name that begins with RE is R and a later letter. */
function initialsOf(name: string): string[] {
  const words = name.match(/[\p{L}\p{N}]+/gu);
  if (!words) return [Array.from(name.trim()).slice(0, 2).join('') || '?'];
  const [first = '', ...letters] = Array.from(words.join(''));
  const starts = words.slice(1).map((word) => Array.from(word)[0]!);
  const seconds = [...starts, ...letters];
  return seconds.length === 0 ? [first.toUpperCase()] : seconds.map((second) => (first + second).toUpperCase());
}

import type { CSSProperties } from 'react';
import type { Agent } from '../../contract/agents.ts';
import { cx } from './cx.ts';

const HUES = [130, 155, 180, 200, 220, 245, 265, 285, 305, 325, 345];

/** The same hue for the same agent, wherever it appears; a configured one wins, as light as the theme can be read. */
export function agentStyle(agentId: string, color?: string | null): CSSProperties {
  if (color) return { '--agent': `oklch(from ${color} var(--agent-l) min(c, var(--agent-c)) h)` } as CSSProperties;
  let hash = 0;
  for (const character of agentId) hash = (hash * 31 + character.codePointAt(0)!) >>> 0;
  return { '--h': HUES[hash % HUES.length] } as CSSProperties;
}

/** Two letters on the agent's colour, or its own picture. */
export function AgentTile({
  agentId,
  agent,
  size = 20,
}: {
  agentId: string;
  agent?: Agent | undefined;
  size?: number;
}) {
  const letters = agentId.split('/').at(-1)!.slice(0, 2).toUpperCase();
  return (
    <span
      aria-hidden="true"
      className={cx('agent inline-grid flex-none place-items-center rounded-md font-mono font-semibold text-agent')}
      style={{
        ...agentStyle(agentId, agent?.color),
        width: size,
        height: size,
        fontSize: size / 2,
        background: 'color-mix(in oklch, var(--agent) var(--agent-tint), transparent)',
      }}
    >
      {agent?.icon ?? letters}
    </span>
  );
}

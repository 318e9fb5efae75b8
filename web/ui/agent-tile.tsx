import type { CSSProperties } from 'react';
import { lookOfUnknown } from '../../contract/agent-looks.ts';
import type { Agent, AgentLook } from '../../contract/agents.ts';

interface Props {
  agentId: string;
  /** Absent when it no longer exists. */
  agent?: Agent | undefined;
  size?: number;
}

/** An agent's colour for everything inside the element. It is made as light as the theme needs. */
export function agentStyle(agentId: string | null, agent: Agent | undefined): CSSProperties {
  return lookStyle(agent ?? (agentId === null ? null : lookOfUnknown(agentId)));
}

export function lookStyle(look: Pick<AgentLook, 'color'> | null): CSSProperties {
  if (!look) return { '--agent': 'var(--fg-2)' } as CSSProperties;
  return { '--agent': `oklch(from ${look.color} var(--agent-l) min(c, var(--agent-c)) h)` } as CSSProperties;
}

/** Two letters on the agent's colour, or its own icon. */
export function AgentTile({ agentId, agent, size }: Props) {
  return <LookTile look={agent ?? lookOfUnknown(agentId)} {...(size !== undefined && { size })} />;
}

export function LookTile({ look, size = 20 }: { look: AgentLook | null; size?: number }) {
  return (
    <span
      aria-hidden="true"
      className="agent inline-grid flex-none place-items-center rounded-md font-mono font-semibold text-agent"
      style={{
        ...lookStyle(look),
        width: size,
        height: size,
        fontSize: size / 2,
        background: 'color-mix(in oklch, var(--agent) var(--agent-tint), transparent)',
      }}
    >
      {look?.icon ?? look?.initials ?? '?'}
    </span>
  );
}

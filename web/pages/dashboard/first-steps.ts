import type { Agent } from '../../../contract/agents.ts';
import { BUILDER } from '../../../contract/builder.ts';
import { isBuilder } from '../../state/choose-agent.ts';

export type StepKind = 'delegate' | 'guest' | 'approve' | 'ask' | 'build';

/** Something to try: who is spoken with, and which other agent comes in. */
export interface Step {
  readonly kind: StepKind;
  readonly agentId: string;
  readonly other: Agent | null;
  /** The demo model follows English only. */
  readonly isDemo: boolean;
}

/** A few things that show what this is, as far as there are agents to show them. */
export function firstSteps(agents: readonly Agent[]): Step[] {
  const able = agents.filter(({ available, uiVisible }) => available && uiVisible);
  const others = able.filter((agent) => !isBuilder(agent));
  const isDemo = (id: string) => able.find(({ agentId }) => agentId === id)?.provider === 'demo';
  return [delegation(others), guest(others), approval(others), building(able)]
    .filter((step) => step !== null)
    .map((step) => ({ ...step, isDemo: isDemo(step.agentId) }));
}

type Offer = Omit<Step, 'isDemo'>;

function building(able: readonly Agent[]): Offer | null {
  return able.some(isBuilder) ? { kind: 'build', agentId: BUILDER.agentId, other: null } : null;
}

function delegation(able: readonly Agent[]): Offer | null {
  for (const boss of able) {
    const child = able.find(({ parentAgentId }) => parentAgentId === boss.agentId);
    if (child) return { kind: 'delegate', agentId: boss.agentId, other: child };
  }
  return null;
}

/** Those who belong together, if anybody does. */
function guest(able: readonly Agent[]): Offer | null {
  const pair = delegation(able);
  if (pair) return { ...pair, kind: 'guest' };
  const host = able.find(({ parentAgentId }) => parentAgentId === null) ?? able[0];
  const other = able.find(({ agentId }) => agentId !== host?.agentId);
  return host && other ? { kind: 'guest', agentId: host.agentId, other } : null;
}

/** The demo's scheduler shows what it writes down first; anybody else can at least ask a question. */
function approval(able: readonly Agent[]): Offer | null {
  const careful = able.find(({ agentId, provider }) => agentId === 'wisp/scheduler' && provider === 'demo');
  if (careful) return { kind: 'approve', agentId: careful.agentId, other: null };
  return able[0] ? { kind: 'ask', agentId: able[0].agentId, other: null } : null;
}

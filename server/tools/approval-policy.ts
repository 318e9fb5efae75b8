import type { ApprovalReason } from '../../contract/actions.ts';
import type { ApprovalSettings } from '../../contract/config.ts';
import { say, type Text } from '../../contract/texts.ts';
import type { ApprovalPolicy, ToolRisk } from '../../contract/tools.ts';
import type { Exposed } from './exposure.ts';
import { matchGlob } from './glob.ts';
import { readsPrivately } from './private-reading.ts';
import { type Ceiling, counterpartOf, type Scope, type ScopedTool } from './scope.ts';

export interface ApprovalDecision {
  readonly policy: ApprovalPolicy;
  /** What decided, in words. */
  readonly rule: Text;
  /** Why the person is asked although the policy would allow it. */
  readonly reason?: ApprovalReason;
}

/** Everything that decides whether a call asks. */
export interface ApprovalTerms {
  readonly all: Exposed;
  readonly agents: ReadonlyMap<string, Scope>;
  /** Whether an agent runs tools itself. Absent: none does. */
  readonly ownsTools?: (agentId: string) => boolean;
  readonly settings: ApprovalSettings;
  readonly sourceDefault?: ApprovalPolicy | undefined;
  readonly ceilings?: readonly Ceiling[];
  /** The agents on whose behalf the call is made. */
  readonly askers?: readonly Scope[];
}

/**
 * The policy for one call. A tool that sends asks when the session is read-only, and when the agent, or one that it works
 * for, can read private things and has no rule of its own that allows the tool.
 */
export function judgeApproval(scope: Scope, tool: ScopedTool, terms: ApprovalTerms): ApprovalDecision {
  const { settings, sourceDefault, ceilings = [], all } = terms;
  const counterpart = tool.source.kind === 'agent' ? counterpartOf(all.tools, tool) : undefined;
  const decision = decideApproval(scope, tool, settings, sourceDefault, ceilings, counterpart);
  if (decision.policy !== 'allow') return decision;
  if (tool.alwaysAsks) return { policy: 'ask', rule: say('approval.always', { tool: tool.name }) };
  return (tool.sends && whySendingAsks(scope, tool, terms)) || decision;
}

function whySendingAsks(scope: Scope, tool: ScopedTool, terms: ApprovalTerms): ApprovalDecision | undefined {
  const { ceilings = [], askers = [] } = terms;
  if (ceilings.some(({ kind }) => kind === 'mode'))
    return { policy: 'ask', rule: say('approval.readOnly', { tool: tool.name }), reason: { kind: 'read-only' } };
  for (const reader of [scope, ...askers]) {
    const reads = ownRule(reader, tool)?.[1] === 'allow' ? null : readsPrivately(terms, reader);
    if (reads === null) continue;
    const rule = say('approval.sendsPrivate', { tool: tool.name, reader: reader.agentId, reads });
    return { policy: 'ask', rule, reason: { kind: 'sends-private', reader: reader.agentId, reads } };
  }
  return undefined;
}

function ownRule({ approvals }: Scope, { name }: ScopedTool) {
  return approvals.find(([pattern]) => matchGlob(pattern, name));
}

const STRICTNESS = { allow: 0, ask: 1, deny: 2 } as const satisfies Record<ApprovalPolicy, number>;

/**
 * Whether a tool that is in scope may be used at once, after a person agreed, or never. Under ceilings the strictest
 * policy holds: what an agent must be asked about cannot be done unasked by one that works for it.
 */
export function decideApproval(
  scope: Scope,
  tool: ScopedTool,
  settings: ApprovalSettings,
  sourceDefault?: ApprovalPolicy,
  ceilings: readonly Ceiling[] = [],
  counterpart?: ScopedTool,
): ApprovalDecision {
  const bosses = ceilings.flatMap((ceiling) => (ceiling.kind === 'agent' ? [ceiling.scope] : []));
  const ofBosses = bosses.map((boss) => {
    const isNamed = ownRule(boss, tool) !== undefined || !counterpart;
    const rule = isNamed ? undefined : ownRule(boss, counterpart);
    return rule ? byRule(boss, rule) : decideAlone(boss, tool, settings, sourceDefault);
  });
  return [decideAlone(scope, tool, settings, sourceDefault), ...ofBosses].reduce((strictest, next) =>
    isStricter(next.policy, strictest.policy) ? next : strictest,
  );
}

function isStricter(one: ApprovalPolicy, other: ApprovalPolicy): boolean {
  return STRICTNESS[one] > STRICTNESS[other];
}

function decideAlone(
  scope: Scope,
  tool: ScopedTool,
  settings: ApprovalSettings,
  sourceDefault: ApprovalPolicy | undefined,
): ApprovalDecision {
  const own = ownRule(scope, tool);
  if (own) return byRule(scope, own);
  if (sourceDefault) {
    const rule = say('approval.source', { source: tool.source.id, policy: sourceDefault });
    return { policy: sourceDefault, rule };
  }
  const policy = settings[tool.risk];
  if (tool.source.kind === 'agent' && isStricter(OWN_TOOLS[tool.risk], policy))
    return { policy: OWN_TOOLS[tool.risk], rule: say('approval.own', { agent: scope.agentId, tool: tool.name }) };
  return { policy, rule: say('approval.risk', { risk: tool.risk, policy }) };
}

/** What a tool that an agent runs itself may change is not Parley's data, which `approvals.write` is about. */
const OWN_TOOLS = { read: 'allow', write: 'ask', execute: 'ask' } as const satisfies Record<ToolRisk, ApprovalPolicy>;

function byRule({ agentId }: Scope, [pattern, policy]: Scope['approvals'][number]): ApprovalDecision {
  return { policy, rule: say('approval.agent', { agent: agentId, pattern, policy }) };
}

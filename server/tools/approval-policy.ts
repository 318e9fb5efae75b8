import type { ApprovalReason } from '../../contract/actions.ts';
import type { ApprovalSettings } from '../../contract/config.ts';
import { say, type Text } from '../../contract/texts.ts';
import type { ApprovalPolicy } from '../../contract/tools.ts';
import type { Exposed } from './exposure.ts';
import { matchGlob } from './glob.ts';
import { readsPrivately } from './private-reading.ts';
import type { Ceiling, Scope, ScopedTool } from './scope.ts';

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
  const { settings, sourceDefault, ceilings = [] } = terms;
  const decision = decideApproval(scope, tool, settings, sourceDefault, ceilings);
  if (decision.policy !== 'allow') return decision;
  if (tool.alwaysAsks) return { policy: 'ask', rule: say('approval.always', { tool: tool.name }) };
  return (tool.sends && whySendingAsks(scope, tool, terms)) || decision;
}

function whySendingAsks(scope: Scope, tool: ScopedTool, terms: ApprovalTerms): ApprovalDecision | undefined {
  const { all, agents, ceilings = [], askers = [] } = terms;
  if (ceilings.some(({ kind }) => kind === 'mode'))
    return { policy: 'ask', rule: say('approval.readOnly', { tool: tool.name }), reason: { kind: 'read-only' } };
  for (const reader of [scope, ...askers]) {
    const reads = ownRule(reader, tool)?.[1] === 'allow' ? null : readsPrivately(all, agents, reader);
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
): ApprovalDecision {
  const bosses = ceilings.flatMap((ceiling) => (ceiling.kind === 'agent' ? [ceiling.scope] : []));
  return [scope, ...bosses]
    .map((each) => decideAlone(each, tool, settings, sourceDefault))
    .reduce((strictest, next) => (STRICTNESS[next.policy] > STRICTNESS[strictest.policy] ? next : strictest));
}

function decideAlone(
  scope: Scope,
  tool: ScopedTool,
  settings: ApprovalSettings,
  sourceDefault: ApprovalPolicy | undefined,
): ApprovalDecision {
  const own = ownRule(scope, tool);
  if (own) {
    const [pattern, policy] = own;
    return { policy, rule: say('approval.agent', { agent: scope.agentId, pattern, policy }) };
  }
  if (sourceDefault) {
    const rule = say('approval.source', { source: tool.source.id, policy: sourceDefault });
    return { policy: sourceDefault, rule };
  }
  const policy = settings[tool.risk];
  return { policy, rule: say('approval.risk', { risk: tool.risk, policy }) };
}

import type { ApprovalSettings } from '../../contract/config.ts';
import type { ApprovalPolicy } from '../../contract/tools.ts';
import { matchGlob } from './glob.ts';
import type { Ceiling, Scope, ScopedTool } from './scope.ts';

export interface ApprovalDecision {
  readonly policy: ApprovalPolicy;
  /** What decided, in words. */
  readonly rule: string;
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
  const own = scope.approvals.find(([pattern]) => matchGlob(pattern, tool.name));
  if (own)
    return { policy: own[1], rule: `approvals of ${scope.agentId} says ${own[1]} for ${tool.name} ("${own[0]}").` };
  if (sourceDefault) {
    return { policy: sourceDefault, rule: `approval of ${tool.source.id} says ${sourceDefault} for its tools.` };
  }
  const policy = settings[tool.risk];
  return { policy, rule: `approvals.${tool.risk} of the configuration says ${policy} for tools like ${tool.name}.` };
}

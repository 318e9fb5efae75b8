import type { ApprovalSettings } from '../../contract/config.ts';
import type { ApprovalPolicy } from '../../contract/tools.ts';
import { type ApprovalDecision, judgeApproval } from './approval-policy.ts';
import { decideUse, type Exposed } from './exposure.ts';
import type { Scope, ScopedTool } from './scope.ts';

/** All there is that an explanation is about. */
export interface PermissionContext {
  readonly agents: ReadonlyMap<string, Scope>;
  readonly tools: readonly ScopedTool[];
  /** Those that come with a skill. */
  readonly plugins: readonly string[];
  readonly settings: ApprovalSettings;
  /** Whether an agent runs tools itself. Absent: none does. */
  readonly ownsTools?: (agentId: string) => boolean;
  /** What the source of a tool says about approvals, when it says something. */
  approvalDefault(tool: ScopedTool): ApprovalPolicy | undefined;
}

/** In scope, and not denied by its approvals: a person may still have to agree. */
export function mayUse(context: PermissionContext, scope: Scope, tool: ScopedTool): boolean {
  return decideUse(exposedIn(context), scope, tool).allowed && approvalOf(context, scope, tool).policy !== 'deny';
}

export function approvalOf(context: PermissionContext, scope: Scope, tool: ScopedTool): ApprovalDecision {
  const { agents, ownsTools, settings } = context;
  return judgeApproval(scope, tool, {
    all: exposedIn(context),
    agents,
    ...(ownsTools && { ownsTools }),
    settings,
    sourceDefault: context.approvalDefault(tool),
  });
}

export function exposedIn({ tools, plugins }: PermissionContext): Exposed {
  return { tools, skills: new Set(plugins) };
}

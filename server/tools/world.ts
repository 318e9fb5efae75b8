import type { ApprovalSettings } from '../../contract/config.ts';
import type { ApprovalPolicy } from '../../contract/tools.ts';
import { type ApprovalDecision, decideApproval } from './approval-policy.ts';
import { decide, type Scope, type ScopedTool } from './scope.ts';

/** All there is that an explanation is about. */
export interface World {
  readonly agents: ReadonlyMap<string, Scope>;
  readonly tools: readonly ScopedTool[];
  /** Those that come with a skill. */
  readonly plugins: readonly string[];
  readonly settings: ApprovalSettings;
  /** What the source of a tool says about approvals, when it says something. */
  approvalDefault(tool: ScopedTool): ApprovalPolicy | undefined;
}

/** In scope, and not denied by its approvals: a person may still have to agree. */
export function mayUse(world: World, scope: Scope, tool: ScopedTool): boolean {
  return decide(scope, { kind: 'tool', tool }).allowed && approvalOf(world, scope, tool).policy !== 'deny';
}

export function approvalOf(world: World, scope: Scope, tool: ScopedTool): ApprovalDecision {
  return decideApproval(scope, tool, world.settings, world.approvalDefault(tool));
}

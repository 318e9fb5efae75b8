import { type Ceiling, decide, type Scope, type ScopedTool } from './scope.ts';

/** Whether a denylist or capabilities keep a tool from an agent: what it shows is then kept from other tools, too. */
export function denies(scope: Scope, tool: ScopedTool, ceilings: readonly Ceiling[]): boolean {
  const limits = ceilings.map((each) => (each.kind === 'agent' ? { ...each, scope: withoutNames(each.scope) } : each));
  return !decide(withoutNames(scope), { kind: 'tool', tool }, limits).allowed;
}

function withoutNames(scope: Scope): Scope {
  return { ...scope, toolAllowlist: null };
}

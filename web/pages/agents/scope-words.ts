import type { ApprovalPolicy, Explanation, ScopeDecision, ToolRisk } from '../../../contract/tools.ts';
import { serverText } from '../../i18n/text.ts';

type ToolRow = Explanation['tools'][number];

/** What applies to tools that the agent's own program runs, by what they do. */
export interface OwnTools {
  readonly does: ToolRisk | 'web';
  readonly policy: ApprovalPolicy;
  readonly reason: string;
}

export interface NamedReason {
  readonly name: string;
  readonly reason: string;
}

/** What an agent may do, in the groups people think in. */
export interface ScopeSummary {
  readonly uses: readonly NamedReason[];
  readonly asksFirst: readonly NamedReason[];
  readonly mayNot: readonly NamedReason[];
  readonly mayAsk: readonly NamedReason[];
  readonly mayNotAsk: readonly NamedReason[];
  /** Empty for an agent whose tools are all Parley's. */
  readonly ownTools: readonly OwnTools[];
  readonly skills: readonly string[];
  /** Agents that it reaches only through other agents. */
  readonly reaches: readonly { readonly agentId: string; readonly via: readonly string[] }[];
  readonly toolsOfOthers: readonly { readonly tool: string; readonly through: readonly string[] }[];
}

export function sumUpScope({ tools, ownTools = [], skills, agents, reach }: Explanation): ScopeSummary {
  const open = tools.filter(({ decision }) => decision.allowed);
  return {
    uses: open.filter(({ approval }) => approval === 'allow').map(withApproval),
    asksFirst: open.filter(({ approval }) => approval === 'ask').map(withApproval),
    mayNot: [
      ...tools.filter(({ decision }) => !decision.allowed).map(withDecision),
      ...open.filter(({ approval }) => approval === 'deny').map(withApproval),
    ],
    mayAsk: agents.filter(({ decision }) => decision.allowed).map(ofAgent),
    mayNotAsk: agents.filter(({ decision }) => !decision.allowed).map(ofAgent),
    ownTools: ownTools.map(toOwnTools),
    skills: skills.filter(({ decision }) => decision.allowed).map(({ plugin }) => plugin),
    reaches: reach.agents.filter(({ via }) => via.length > 0),
    toolsOfOthers: reach.tools,
  };
}

/** For what is allowed, the interesting rule is the one that says whether it asks. */
function withApproval({ tool, decision, approvalRule, approvalRuleText }: ToolRow): NamedReason {
  return { name: tool, reason: `${reasonOf(decision)} ${serverText(approvalRule, approvalRuleText)}` };
}

function withDecision({ tool, decision }: ToolRow): NamedReason {
  return { name: tool, reason: reasonOf(decision) };
}

function toOwnTools({ risk, sends, ...row }: NonNullable<Explanation['ownTools']>[number]): OwnTools {
  const does = sends && risk === 'read' ? 'web' : risk;
  if (!row.decision.allowed) return { does, policy: 'deny', reason: reasonOf(row.decision) };
  return { does, policy: row.approval, reason: serverText(row.approvalRule, row.approvalRuleText) };
}

function ofAgent({ agentId, decision }: Explanation['agents'][number]): NamedReason {
  return { name: agentId, reason: reasonOf(decision) };
}

function reasonOf({ reason, reasonText }: ScopeDecision): string {
  return serverText(reason, reasonText);
}

interface ToolGroup {
  /** What the names have in common before the first underscore; empty for those that stand alone. */
  readonly prefix: string;
  readonly names: readonly string[];
}

/** Names of tools by what they belong to, both in alphabetical order; those that stand alone come last. */
export function groupTools(names: readonly string[]): ToolGroup[] {
  const sorted = names.toSorted((one, other) => one.localeCompare(other));
  const byPrefix = [...Map.groupBy(sorted, prefixOf)];
  const groups = byPrefix.filter(([, those]) => those.length > 1).map(([prefix, those]) => ({ prefix, names: those }));
  const alone = byPrefix.flatMap(([, those]) => (those.length === 1 ? those : []));
  return alone.length > 0 ? [...groups, { prefix: '', names: alone }] : groups;
}

function prefixOf(name: string): string {
  return name.includes('_') ? name.slice(0, name.indexOf('_')) : name;
}

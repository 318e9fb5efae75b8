import type { Command } from 'commander';
import type { Explanation, ScopeDecision } from '../../contract/tools.ts';
import { type HomeOption, withClient } from '../connect.ts';
import { look, print, printJson } from '../output.ts';
import { printTable } from '../table.ts';
import { safeLine } from '../terminal-text.ts';

interface ExplainOptions extends HomeOption {
  json?: boolean;
}

export function define(command: Command): void {
  command
    .description('Show what an agent can do, which rule decides it, and which agents it can reach.')
    .argument('<agent>', 'the agent')
    .argument('[tool]', 'only this tool')
    .option('--json', 'as JSON')
    .option('--home <folder>', 'the data folder')
    .addHelpText('after', EXAMPLES)
    .action(explain);
}

async function explain(agent: string, tool: string | undefined, options: ExplainOptions): Promise<void> {
  await withClient(options, async ({ client }) => {
    const explanation = await client.call('explain', { query: { agent, tool } });
    if (options.json) return printJson(explanation);
    if (tool === undefined) explainAll(explanation);
    else explainTool(explanation, tool);
  });
}

function explainAll(explanation: Explanation): void {
  const { agentId, tools, skills, agents } = explanation;
  const may = tools.filter(({ decision }) => decision.allowed).length;
  print(`${look().bold(safeLine(agentId))} can use ${may} of ${tools.length} tools.`);
  printAuthority(explanation);
  section('Tools');
  const rows = tools.map(({ tool, decision, approval }) => [tool, ...verdict(decision, approval)]);
  printTable([{ title: 'Tool' }, ...VERDICT, WHY], rows);
  printOwnTools(explanation);
  printDecisions(
    'Skills',
    skills.map(({ plugin, decision }) => [plugin, decision]),
  );
  printDecisions(
    'Agents it can ask',
    agents.map(({ agentId: other, decision }) => [other, decision]),
  );
  printReach(explanation);
}

/** Tools that the agent's own program runs; which it has is not known here. */
function printOwnTools({ ownTools = [] }: Explanation): void {
  if (ownTools.length === 0) return;
  section('Tools that it runs itself');
  const rows = ownTools.map(({ tool, risk, sends, decision, approval, approvalRule }) => [
    tool === '*' ? 'any other' : tool,
    sends && risk === 'read' ? 'read, on the web' : risk,
    ...verdict(decision, approval),
    approvalRule,
  ]);
  printTable([{ title: 'Tool' }, { title: 'Risk' }, ...VERDICT, WHY, { title: 'Approval rule', shrinks: true }], rows);
}

/** A list of tools says little about an agent that may start programs. */
function printAuthority({ fullAuthority, agentId }: Explanation): void {
  if (!fullAuthority) return;
  const what = `It has full authority: with bash, ${safeLine(agentId)} can run any command on this machine as you.`;
  print(look().amber(`${what} Only approvals limit it; its other restrictions have no effect.`));
}

const VERDICT = [{ title: 'May' }, { title: 'Approval' }];
const WHY = { title: 'Why', shrinks: true };

function verdict({ allowed, reason }: ScopeDecision, approval: string): string[] {
  return [allowed ? 'yes' : 'no', allowed ? approval : '-', reason];
}

function printDecisions(title: string, decisions: readonly (readonly [string, ScopeDecision])[]): void {
  if (decisions.length === 0) return;
  section(title);
  const rows = decisions.map(([name, { allowed, reason }]) => [name, allowed ? 'yes' : 'no', reason]);
  printTable([{ title: 'Name' }, { title: 'May' }, WHY], rows);
}

function printReach({ reach, agentId }: Explanation): void {
  const further = reach.agents.filter(({ via }) => via.length > 0);
  section('Through others');
  if (further.length === 0 && reach.tools.length === 0)
    print(`No agent that ${safeLine(agentId)} can ask can do more than it can.`);
  for (const { agentId: other, via } of further) print(`  reaches ${path([...via, other])}`);
  for (const { tool, through } of reach.tools)
    print(`  can get ${look().bold(safeLine(tool))} through ${through.map(safeLine).join(', ')}`);
}

function path(agents: readonly string[]): string {
  return agents.map(safeLine).join(' → ');
}

function section(title: string): void {
  print(`\n${look().bold(title)}`);
}

function explainTool(explanation: Explanation, name: string): void {
  const found = explanation.tools.find(({ tool }) => tool === name);
  if (found) printToolVerdict(explanation, found);
  printOwnTools(explanation);
  for (const { tool, through } of explanation.reach.tools)
    if (tool === name) print(`It can get it through other agents, though: ${through.map(safeLine).join(', ')}.`);
  printAuthority(explanation);
}

function printToolVerdict({ agentId }: Explanation, { tool, decision, approval, approvalRule }: Explained): void {
  const { rule, allowed, reason } = decision;
  const verb = allowed ? 'can use' : "can't use";
  print(`${look().bold(safeLine(agentId))} ${verb} ${look().bold(safeLine(tool))}: ${safeLine(reason)}`);
  const pattern = rule.pattern === null ? '' : ` "${safeLine(rule.pattern)}"`;
  print(`  rule: ${rule.list}${pattern} of ${safeLine(rule.of)}, matched against ${safeLine(rule.subject)}`);
  if (allowed) print(`  approval: ${approval} (${safeLine(approvalRule)})`);
}

type Explained = Explanation['tools'][number];

const EXAMPLES = `
Examples:
  $ parley explain wisp/concierge
  $ parley explain wisp/concierge bash   the rule for one tool`;

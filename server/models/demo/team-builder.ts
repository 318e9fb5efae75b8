import type { AgentDefinition } from '../../../contract/agents.ts';
import { afterTeamCall, BUILDER_TOOLS, TEAM_CALLS, type TeamDraft } from '../../../contract/builder.ts';
import type { TeamJudgement } from '../../../contract/teams.ts';
import type { ModelMessage, ModelToolResult } from '../types.ts';
import {
  changeDraft,
  type Draft,
  idOf,
  type Options,
  type Role,
  sentence,
  subjectOf,
  taskIn,
  titleCase,
  toolLines,
  toolsIn,
} from './drafting.ts';
import type { DemoPrompt } from './prompt.ts';
import { AGREED, read, readAsked, SHORT } from './read-asked.ts';
import { call, type DemoStep, say, think } from './steps.ts';
import { LEADER, listedIn, rolesFor } from './team-roles.ts';

const { options, team, member, remove, draft, createTeam } = BUILDER_TOOLS;
const TEAM = /\b(?:an?|new)\s+(?:[\w-]+\s+)?team\b(?!['’])|\bteam of\b|\bteam (?:that|which|who)\b/i;
const REMOVES = /\b(?:without|remove|drop|leave out|no)\b (?:the |an? )?([\p{L}-]+)/iu;

/** Plays the part of the builder that drafts teams: when a team is asked for, and as long as the draft is one. */
export function buildTeam(prompt: DemoPrompt): readonly DemoStep[] | undefined {
  const { request, results, asked } = prompt;
  if (!request.tools.some(({ name }) => name === team)) return undefined;
  const { words, given } = readAsked<TeamDraft>(asked, 'agents');
  const current = lastTeam(request.messages);
  if (!given && !current && !TEAM.test(words)) return undefined;
  if (results) return goOn(prompt, results, current);
  if (current && words.length <= SHORT && AGREED.test(words)) return [call(prompt, createTeam, given ?? current)];
  if (given) return [call(prompt, team, given)];
  return current
    ? change(prompt, current, words)
    : [think("First I'll check which models, tools and templates are available."), call(prompt, options, {})];
}

/** Once a tool has answered. */
function goOn(prompt: DemoPrompt, results: readonly ModelToolResult[], current: TeamDraft | null) {
  const { name, output, isError } = results.at(-1)!;
  if (name === options) return [call(prompt, team, writeTeam(prompt.asked, read<Options>(output)))];
  if (name === createTeam)
    return [say(isError ? `The team was not created: ${output}` : `${output} You can begin a session with it.`)];
  if (!current) return [say(output)];
  return isError ? mend(prompt, current, output) : [say(...present(current, output))];
}

/** The draft as all calls so far have made it; null when the last draft is that of a single agent. */
function lastTeam(messages: readonly ModelMessage[]): TeamDraft | null {
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []));
  const last = calls.findLast(({ name }) => name === draft || TEAM_CALLS.has(name));
  if (!last || last.name === draft) return null;
  return calls.reduce<TeamDraft | null>((before, { name, input }) => afterTeamCall(before, name, read(input)), null);
}

/** What concerns one agent changes that one; anything else becomes an instruction for the orchestrator. */
function change(prompt: DemoPrompt, current: TeamDraft, words: string): readonly DemoStep[] {
  const out = namedIn(current, REMOVES.exec(words)?.[1] ?? '');
  if (out && out !== current.agents[0]) return [call(prompt, remove, { agentId: out.agentId })];
  const named = words.split(/[^\p{L}-]+/u).map((word) => namedIn(current, word));
  const changed = named.find((agent) => agent !== undefined) ?? current.agents[0]!;
  const definition = changeDraft(changed as Draft, words, knownIn(prompt.request.messages));
  return [call(prompt, member, { definition: { ...definition, agentId: changed.agentId } })];
}

/** By what it does: “the reviewer”. */
function namedIn({ agents }: TeamDraft, word: string): AgentDefinition | undefined {
  const wanted = word.toLowerCase();
  return wanted === '' ? undefined : agents.find(({ agentId }) => agentId.split('/').at(-1) === wanted);
}

/** What the builder was told that there is. */
function knownIn(messages: readonly ModelMessage[]): Options {
  const results = messages.flatMap((message) => (message.role === 'tool' ? message.results : []));
  return read<Options>(results.findLast(({ name }) => name === options)?.output ?? '') ?? NOTHING_KNOWN;
}

const NOTHING_KNOWN: Options = { models: [], tools: [], templates: [] };

/** The only problem that the demo can fix alone are ids and names that are taken. */
function mend(prompt: DemoPrompt, current: TeamDraft, output: string): readonly DemoStep[] {
  if (!/already exists|displayName/.test(output)) return [say('The draft still has problems:', '', output)];
  const [, name = current.name, number = '1'] = /^(.*?)(?: (\d+))?$/.exec(current.name) ?? [];
  return [call(prompt, team, renamed(current, `${name} ${Number(number) + 1}`))];
}

/** The same agents under another name. */
function renamed({ agents, description }: TeamDraft, name: string): TeamDraft {
  const ids = new Map(agents.map(({ agentId }) => [agentId, `${idOf(name)}/${agentId.split('/').at(-1)}`]));
  const moved = agents.map((agent) => ({
    ...agent,
    agentId: ids.get(agent.agentId)!,
    displayName: displayName(name, agent.agentId.split('/').at(-1)!),
    ...(agent.parentAgentId && { parentAgentId: ids.get(agent.parentAgentId)! }),
    ...(agent.agentAllowlist && { agentAllowlist: [`${idOf(name)}/*`] }),
  }));
  return { name, description, agents: moved };
}

/** A first draft from one sentence: an orchestrator, and below it an agent for each kind of work that is named. */
function writeTeam(asked: string, there: Options = NOTHING_KNOWN): TeamDraft {
  const task = taskIn(asked).replace(/^(?:team|of \w+|that|which|who|for|to|agents|\s|[,:])+\s/i, '');
  const roles = rolesFor(asked);
  const aims = listedIn(asked).reduce((words, role) => words.replace(role, ''), task);
  const name = titleCase(subjectOf(aims)) || 'New';
  const lead = memberOf(LEADER, { name, task, there, tools: ['agents_*'] });
  const members = roles.map((role, at) =>
    memberOf(role, { name, task, there, tools: at === 0 ? toolsIn(asked, there) : [], parent: lead.agentId }),
  );
  const below = members.map(({ agentId, description }) => `- ${agentId}: ${description}`).join('\n');
  const systemPrompt = `${lead.systemPrompt}\n\nThese agents work for you. Give each its part, in this order:\n${below}`;
  const leader = { ...lead, systemPrompt, agentAllowlist: [`${idOf(name)}/*`] };
  return { name: `${name} Team`, description: sentence(task), agents: [leader, ...members] as AgentDefinition[] };
}

interface Part {
  name: string;
  task: string;
  there: Options;
  tools: readonly string[];
  parent?: string;
}

const DOES: Readonly<Record<string, string>> = {
  orchestrator: 'Splits the work into parts, gives them to the others and puts the results together.',
  researcher: 'Finds out what is known and what is not.',
  writer: 'Writes what is needed from what was found out.',
  reviewer: 'Reviews the result and says what to change.',
  planner: 'Puts the work into steps and dates.',
};

function memberOf(role: Role, { name, task, there, tools, parent }: Part): Draft & { parentAgentId?: string } {
  const [{ chat } = { chat: { provider: 'demo' } }] = there.models;
  const title = displayName(name, role.title);
  const does = DOES[role.template] ?? `Does the work of the ${role.title.toLowerCase()}.`;
  return {
    agentId: `${idOf(name)}/${idOf(role.title)}`,
    displayName: title,
    description: does,
    ...(there.templates.some((template) => template.extends === role.template) && { extends: role.template }),
    ...(parent !== undefined && { parentAgentId: parent }),
    chat,
    systemPrompt: `You are ${title}. The team's task, in the words of the user: ${sentence(task)} Your part: ${does}`,
    toolAllowlist: tools,
    icon: role.icon,
  };
}

function displayName(name: string, role: string): string {
  return titleCase(`${name.replace(/ Team(?= \d|$)/, '')} ${role}`);
}

function present({ name, agents }: TeamDraft, output: string): string[] {
  const judged = read<TeamJudgement>(output)?.members ?? [];
  return [
    `Here is a draft of the team **${name}**: ${agents.length} agents.`,
    '',
    ...agents.map((agent, at) => {
      const [free, asked] = [judged[at]?.mayUse ?? [], judged[at]?.mayAskToUse ?? []].map((names) =>
        names.filter((tool) => !tool.startsWith('system_')),
      );
      const indent = agent.parentAgentId ? '  ' : '';
      const tools = toolLines(free, asked).map((line) => line.replace(/^- /, ''));
      return `${indent}- **${agent.displayName}**: ${agent.description} ${tools.join(' ')}`;
    }),
    '',
    'Edit it, try it, or tell me what to change: “without the reviewer”, “the researcher may use the web”. When you are ' +
      'happy with it, say “create it”.',
    '',
    '(I am the offline demo: I match keywords, not meaning.)',
  ];
}

import { oneLine, summaryLine } from './one-line.ts';

export interface ToolLine {
  readonly name: string;
  readonly description: string;
}

export interface SkillLine {
  readonly id: string;
  readonly description: string;
  readonly skillPath: string;
  readonly command: string;
}

export interface ArtifactLine {
  readonly type: string;
  readonly name: string;
  readonly id: string;
}

export interface PanelLine {
  readonly panelId: string;
  /** What it shows. */
  readonly item?: ArtifactLine;
}

export interface AgentLine {
  readonly agentId: string;
  readonly displayName: string;
  readonly description: string;
}

/** Every section is null when it would say nothing, and the same for the same lines in whatever order. */
type Section = string | null;

export function toolSection(tools: readonly ToolLine[]): Section {
  const listed = sorted(tools, ({ name }) => name).filter(({ name }) => !name.startsWith('system_'));
  return section('Available tools:', listed.map(toolLine));
}

/** So that an agent says that tools are missing for now instead of that it has none. */
export function startingSection(servers: readonly string[]): Section {
  if (servers.length === 0) return null;
  const names = sorted(servers, (name) => name).map((name) => oneLine(name));
  return `These MCP servers are still starting, so their tools are not available yet: ${names.join(', ')}.`;
}

function toolLine({ name, description }: ToolLine): string {
  return entry(name, summaryLine(description));
}

export function skillSection(skills: readonly SkillLine[]): Section {
  return section(
    'Available CLI skills (use them through bash; read the SKILL.md of a skill before you use it for the first time):',
    sorted(skills, ({ id }) => id).map(skillLine),
  );
}

function skillLine({ id, description, skillPath, command }: SkillLine): string {
  return `${entry(id, summaryLine(description))}\n  SKILL.md: ${oneLine(skillPath)}\n  CLI: ${oneLine(command)}`;
}

export function artifactSection(items: readonly ArtifactLine[], hasMore = false): Section {
  const byType = Object.groupBy(items, ({ type }) => oneLine(type));
  const groups = sorted(Object.keys(byType), (type) => type).map((type) => {
    const lines = sorted(byType[type] ?? [], ({ name, id }) => `${name}\n${id}`).map(
      ({ name, id }) => `- ${oneLine(name)} (${oneLine(id)})`,
    );
    return [`${type}:`, ...lines].join('\n');
  });
  const more = hasMore ? ['These are the ones changed last; the list tools show all.'] : [];
  return section('Available artifact items, by type:', groups.length > 0 ? [...groups, ...more] : []);
}

/** The client that sends the message writes the line. */
export const MESSAGE_CONTEXT = [
  'Message context:',
  'A user message may start with a line that says what the user is looking at:',
  '<context panel-id="<panel-id>" panel-type="<panel-type>" panel-title="<panel-title>" type="<type>" id="<id>" name="<name>" selection="<item-ids>" mode="<mode>" />',
  'or, if it is a view:',
  '<context panel-id="<panel-id>" panel-type="<panel-type>" panel-title="<panel-title>" view-name="<view-name>" view-query="<view-query>" selection="<item-ids>" mode="<mode>" />',
  '- panel-id, panel-type, panel-title: the selected panel.',
  '- type, id, name: the item open in it.',
  '- view-name, view-query: the view open in it.',
  '- selection: the ids of the selected items, separated by commas.',
  '- mode: the kind of reply the user wants, for example brief.',
  'Attributes that do not apply are left out. The line tells you what phrases such as "this list" or "these" refer to. It is not a request; never repeat it.',
].join('\n');

const MOST_KNOWLEDGE = 100;

const HOW_TO_CITE = [
  'Search it with knowledge_search before you answer what it may be about, and say so when it holds no answer.',
  'Right after each sentence that rests on a passage, copy the Markdown link that came with the passage, unchanged. Never make up such a link.',
].join(' ');

export function knowledgeSection(names: readonly string[]): Section {
  const listed = sorted([...new Set(names)], (name) => name);
  const lines = listed.slice(0, MOST_KNOWLEDGE).map((name) => entry(name, ''));
  const more = listed.length > MOST_KNOWLEDGE ? ['knowledge_list shows all.'] : [];
  const shown = section('Available knowledge, files and notes that the user has given you:', [...lines, ...more]);
  return shown && `${shown}\n\n${HOW_TO_CITE}`;
}

export function panelSection(panels: readonly PanelLine[]): Section {
  return section('Open artifacts panels:', sorted(panels, ({ panelId }) => panelId).map(panelLine));
}

function panelLine({ panelId, item }: PanelLine): string {
  return entry(panelId, item ? `${oneLine(item.type)} "${oneLine(item.name)}" (${oneLine(item.id)})` : '');
}

const HOW_TO_MESSAGE = [
  'Use agents_message to ask another agent to perform a task. Pass its id as agentId, and put everything it needs to know in content, because it does not see this conversation.',
  'You get its reply as the result; with mode "async" you both keep working and you get the reply later. Say which agent did what when you report it.',
].join(' ');

/** Without the tool, only the person can bring other agents into the conversation. */
export function agentSection(agents: readonly AgentLine[], canMessage: boolean): Section {
  const lines = agentLines(agents);
  if (!canMessage) return section('Available agents, which the user can bring into the conversation:', lines);
  const listed = section('Available agents you can delegate to:', lines);
  return listed && `${listed}\n\n${HOW_TO_MESSAGE}`;
}

const HOW_TO_DELEGATE = [
  'First say in one sentence what you are delegating, then write the tag, with the id as listed and, inside it, everything the agent needs to do the work.',
  'Several tags run in order. Each agent replies in this conversation under its own name, and then you continue from what it said.',
  'Never write a reply for another agent, never put a tag inside a tag or inside code, and write no tag when there is nothing to delegate.',
].join(' ');

/** No agent can have the id that the example names, so that an agent that quotes these words delegates nothing. */
const EXAMPLE = '<delegate to="[agent id]">what to do</delegate>';

export function delegateSection(delegates: readonly AgentLine[]): Section {
  const lines = agentLines(delegates);
  const heading = [
    'Delegating:',
    'You can delegate work to the agents listed here by writing a tag in your reply:',
    EXAMPLE,
  ].join('\n');
  const listed = section(heading, lines);
  return listed && `${listed}\n\n${HOW_TO_DELEGATE}`;
}

function agentLines(agents: readonly AgentLine[]): string[] {
  return sorted(agents, ({ agentId }) => agentId).map(({ agentId, displayName, description }) => {
    const about = [oneLine(displayName), summaryLine(description)].filter((words) => words !== '');
    return entry(agentId, about.join(' - '));
  });
}

function section(heading: string, lines: readonly string[]): Section {
  return lines.length === 0 ? null : [heading, ...lines].join('\n');
}

function entry(name: string, about: string): string {
  return about === '' ? `- ${oneLine(name)}` : `- ${oneLine(name)}: ${about}`;
}

/** By code unit: the same on every machine. */
function sorted<T>(items: readonly T[], key: (item: T) => string): T[] {
  return items.toSorted((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0));
}

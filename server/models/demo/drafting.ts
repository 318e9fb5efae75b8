/** A definition, as far as the demo writes one. */
export interface Draft {
  agentId: string;
  displayName: string;
  description: string;
  extends?: string;
  chat: { provider?: string; model?: string };
  systemPrompt: string;
  toolAllowlist: readonly string[];
  approvals?: Readonly<Record<string, 'ask' | 'deny'>>;
  icon?: string;
}

/** What the builder is told that there is. */
export interface Options {
  models: readonly { chat: Draft['chat'] }[];
  tools: readonly { name: string; risk: string }[];
  templates: readonly { extends: string }[];
}

export interface Role {
  words: RegExp;
  template: string;
  title: string;
  icon: string;
}

export const ROLES: readonly Role[] = [
  { words: /\b(?:review|critici[sz]e|proofread|check)/i, template: 'reviewer', title: 'Reviewer', icon: '🔍' },
  { words: /\b(?:research|compare|find out|look up)/i, template: 'researcher', title: 'Researcher', icon: '📚' },
  { words: /\b(?:plan|schedule|organi[sz]e)/i, template: 'planner', title: 'Planner', icon: '🗓️' },
  { words: /\b(?:write|draft|edit|translate|summari[sz]e)/i, template: 'writer', title: 'Writer', icon: '✍️' },
  { words: /\b(?:coordinate|delegate|lead)/i, template: 'orchestrator', title: 'Lead', icon: '🧭' },
];
export const ANY_ROLE: Role = { words: /(?:)/, template: 'assistant', title: 'Helper', icon: '💬' };

const TOOLS: readonly (readonly [words: RegExp, pattern: string])[] = [
  [/\b(?:web|links?|web ?(?:sites?|pages?)|news|urls?|internet|online)\b/i, 'web_fetch'],
  [/\b(?:to-?dos?|tasks?|remind(?:s|ers?)?|deadlines?)\b/i, 'todo_*'],
  [/\breading[- ]list\b|\bread later\b|\bbookmarks?\b/i, 'reading_list_*'],
  [/\b(?:journal|diary)\b/i, 'journal_*'],
  [/\b(?:remembers?|memory)\b/i, 'memory_*'],
  [/\b(?:files?|folders?|documents?)\b/i, 'files_*'],
];

/** A first draft from the description of a need. */
export function writeDraft(asked: string, there: Options): Draft {
  const task = taskIn(asked);
  const role = ROLES.find(({ words }) => words.test(task)) ?? ANY_ROLE;
  const tools = toolsIn(asked, there);
  const displayName = nameIn(asked) ?? `${titleCase(subjectOf(task))} ${role.title}`.trim();
  const hasTemplate = there.templates.some((template) => template.extends === role.template);
  const [{ chat } = { chat: { provider: 'demo' } }] = there.models;
  return {
    agentId: idOf(displayName),
    displayName,
    description: sentence(task),
    ...(hasTemplate && { extends: role.template }),
    chat,
    systemPrompt: [
      `You are ${displayName}. Your task, in the words of the user who created you: ${sentence(task)}`,
      'Be brief and concrete. Ask if something important is unclear, and say so if you do not know.',
    ].join('\n\n'),
    toolAllowlist: tools,
    ...(asksFirst(asked) && tools.length > 0 && { approvals: askFor(tools) }),
    icon: role.icon,
  };
}

function askFor(patterns: readonly string[]): NonNullable<Draft['approvals']> {
  return Object.fromEntries(patterns.map((pattern) => [pattern, 'ask' as const]));
}

/** What it hears of a name, of tools or of asking it puts in its place; anything else becomes an instruction. */
export function changeDraft(draft: Draft, asked: string, there: Options): Draft {
  const name = nameIn(asked);
  const added = toolsIn(asked, there);
  const isBare = /\b(?:no|without(?: any)?) tools?\b/i.test(asked);
  const tools = isBare ? [] : [...new Set([...(draft.toolAllowlist ?? []), ...added])];
  const understood = name !== undefined || added.length > 0 || isBare || asksFirst(asked) || asked === '';
  return {
    ...draft,
    ...(name !== undefined && { displayName: name, agentId: idOf(name) }),
    toolAllowlist: tools,
    ...(asksFirst(asked) && { approvals: { ...draft.approvals, ...askFor(tools) } }),
    systemPrompt: understood
      ? renamed(draft, name)
      : [draft.systemPrompt, sentence(asked)].filter(Boolean).join('\n\n'),
  };
}

function renamed({ systemPrompt, displayName }: Draft, name: string | undefined): string {
  return name === undefined ? systemPrompt : (systemPrompt ?? '').replace(displayName, name);
}

const REQUEST_WORDS =
  /^\s*(?:please\s+)?(?:(?:i|we)\s+(?:need|want|would like)|(?:can you\s+)?(?:make|build|create|give)(?:\s+me)?)?\s*(?:an?|the)?\s*(?:new\s+)?(?:agent|assistant|bot|helper)?\s*(?:called\s+\S+\s+)?(?:that|who|which|to|for|,)?\s+/i;

export function taskIn(asked: string): string {
  const flat = asked.replace(/\s+/g, ' ').trim();
  return flat.replace(REQUEST_WORDS, '').trim() || flat;
}

const VERB =
  /^(?:can|could|should|helps?|reviews?|writes?|drafts?|plans?|researches|research|finds?|keeps?|reads?|answers?|checks?|summari[sz]es?|manages?|organi[sz]es?|translates?|explains?|watch(?:es)?|tracks?|makes?|tells?|gives?|edits?|compares?|schedules?)$/i;
const LITTLE = /^(?:an?|the|my|our|your|me|us|you|it|to|for|of|in|on|at|with|and|or|all|any|every|new|what|when)$/i;

const DETERMINER = /^(?:an?|the|my|our|your)$/i;

/** The first words that say what it is about. */
export function subjectOf(task: string): string {
  const words = task.match(/[\p{L}\p{N}'’-]+/gu) ?? [];
  const isThing = (word: string, at: number) => !VERB.test(word) || DETERMINER.test(words[at - 1] ?? '');
  const from = words.findIndex((word, at) => !LITTLE.test(word) && isThing(word, at));
  if (from < 0) return '';
  const rest = words.slice(from, from + 3);
  const end = rest.findIndex((word) => LITTLE.test(word));
  return (end < 0 ? rest : rest.slice(0, end)).join(' ');
}

export function nameIn(asked: string): string | undefined {
  const named =
    /\b(?:[Cc]all(?:ed)?|[Nn]amed?)\s+(?:it |him |her |them |the agent )?["“']?(\p{Lu}[\p{L}\p{N} '’-]{0,40}?)["”']?(?=[.,;!?\n]|\s+(?:that|who|which|and|to)\b|$)/u;
  return named.exec(asked)?.[1]?.trim();
}

export function toolsIn(asked: string, there: Options): string[] {
  return TOOLS.filter(([words]) => words.test(asked))
    .map(([, pattern]) => pattern)
    .filter((pattern) => there.tools.some(({ name }) => name.startsWith(pattern.replace('*', ''))));
}

function asksFirst(asked: string): boolean {
  return /\bask(?:s|ing)?(?: me| us)?(?: first| before)\b/i.test(asked);
}

export function idOf(name: string): string {
  const id = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  return id.slice(0, 60) || 'new-agent';
}

export function titleCase(words: string): string {
  return words.replace(/(^|\s)\p{Ll}/gu, (start) => start.toUpperCase());
}

export function sentence(text: string): string {
  const trimmed = text.trim();
  const ended = /[.!?…]$/.test(trimmed) ? trimmed : `${trimmed}.`;
  return `${ended.charAt(0).toUpperCase()}${ended.slice(1)}`;
}

export function toolLines(free: readonly string[] = [], asked: readonly string[] = []): string[] {
  if (free.length + asked.length === 0) return ['- It has no tools.'];
  return [
    ...(free.length > 0 ? [`- It can use ${free.join(', ')}.`] : []),
    ...(asked.length > 0 ? [`- It asks you before it uses ${asked.join(', ')}.`] : []),
  ];
}

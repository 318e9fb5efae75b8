import type { ModelTool, ModelToolResult } from '../types.ts';
import { type DemoPrompt, firstSentence, nameOf } from './prompt.ts';
import { call, type DemoStep, say, think } from './steps.ts';

/** Requests in plain words that an offered tool can carry out: "add https://… to my reading list", "ask me my name". */
export function callRequestedTool(prompt: DemoPrompt): readonly DemoStep[] | undefined {
  for (const { words, choose } of TOOL_REQUESTS) {
    const match = words.exec(prompt.asked);
    const chosen = match && choose(prompt, match);
    if (chosen) return [call(prompt, chosen.tool.name, chosen.input)];
  }
  return undefined;
}

/** A question that nothing else answers is looked up in what the agent was given to search. */
export function askKnowledge(prompt: DemoPrompt): readonly DemoStep[] | undefined {
  const chosen =
    /\?\s*$/.test(prompt.asked) && using(prompt, 'knowledge_search', { query: prompt.asked.slice(0, 500) });
  return chosen ? [call(prompt, chosen.tool.name, chosen.input)] : undefined;
}

/** How to ask for what the offered tools can do, for the help. */
export function toolRequestExamples({ request }: DemoPrompt): string[] {
  const has = (name: string) => request.tools.some((tool) => tool.name === name);
  return [
    ...(has('reading_list_add') ? ['- add https://example.com/article to my reading list'] : []),
    ...(has('todo_add') ? ['- remind me to water the plants'] : []),
    ...(has('journal_add') ? ['- write that today was a good day'] : []),
    ...(has('ask_user') ? ['- ask me which colour I like'] : []),
    ...(has('knowledge_search') ? ['- search my knowledge for opening hours'] : []),
    ...(has('agents_message') ? ['- ask NAME to do something'] : []),
  ];
}

interface Chosen {
  tool: ModelTool;
  input: Record<string, string>;
}

interface ToolRequest {
  words: RegExp;
  choose(prompt: DemoPrompt, match: RegExpExecArray): Chosen | undefined;
}

const POLITE = '^\\s*(?:please |can you |could you )?';
const TOPIC = '(?:my |the |your )?(reading list|to-?dos?(?: list)?|list|journal|diary|memory|knowledge)';

const TOOL_REQUESTS: readonly ToolRequest[] = [
  {
    words: new RegExp(`${POLITE}ask me (?:about |whether |if )?([\\s\\S]+)`, 'i'),
    choose: (prompt, [, what = '']) => using(prompt, 'ask_user', { question: asQuestion(what) }),
  },
  {
    words: new RegExp(`${POLITE}(?:search|look through) ${TOPIC} for ([\\s\\S]+)`, 'i'),
    choose: (prompt, [, topic = '', what = '']) => search(prompt, toolPrefix(topic), plain(what)),
  },
  {
    words: new RegExp(`${POLITE}(?:show|list|what(?:[’']?s| is)|what do i have)(?: me)?(?: on| in)? ${TOPIC}\\b`, 'i'),
    choose: (prompt, [, topic = '']) => list(prompt, toolPrefix(topic)),
  },
  {
    words: new RegExp(`${POLITE}(?:fetch|open) (https?:\\S+)`, 'i'),
    choose: (prompt, [, url = '']) => using(prompt, 'web_fetch', { url: plain(url) }),
  },
  {
    words: new RegExp(`${POLITE}(add|put|save|write(?: down)?|remember|remind me)(?: that| to)? ([\\s\\S]+)`, 'i'),
    choose: (prompt, [, verb = '', what = '']) => add(prompt, verb, what),
  },
];

function using({ request }: DemoPrompt, name: string, input: Record<string, string>): Chosen | undefined {
  const tool = request.tools.find((one) => one.name === name);
  return tool && { tool, input };
}

function search(prompt: DemoPrompt, prefix: string | undefined, query: string): Chosen | undefined {
  const own = prefix ?? ownPrefix(prompt, '_list');
  return using(prompt, `${own}_search`, { query }) ?? using(prompt, `${own}_list`, { query });
}

function list(prompt: DemoPrompt, prefix: string | undefined): Chosen | undefined {
  return using(prompt, `${prefix ?? ownPrefix(prompt, '_list')}_list`, {});
}

const DESTINATION = new RegExp(`,? (?:to|on|in|into) ${TOPIC}$`, 'i');
const URL_IN = /https?:\/\/[^\s<>"')]+/;

/** Where it goes: as the person says, as a link says, as the verb says, or where this agent keeps things. */
function add(prompt: DemoPrompt, verb: string, what: string): Chosen | undefined {
  const said = plain(what);
  const topic = DESTINATION.exec(said)?.[1];
  const words = said.replace(DESTINATION, '');
  const url = URL_IN.exec(words)?.[0];
  const prefix = (topic && toolPrefix(topic)) ?? (url ? 'reading_list' : BY_VERB[verb.toLowerCase()]);
  const tool = keeper(prompt, prefix) ?? keeper(prompt, ownPrefix(prompt, '_add'));
  return tool && fill(tool, words, url);
}

function keeper(prompt: DemoPrompt, prefix: string | undefined): ModelTool | undefined {
  return (using(prompt, `${prefix}_add`, {}) ?? using(prompt, `${prefix}_save`, {}))?.tool;
}

const BY_VERB: Readonly<Record<string, string>> = {
  'remind me': 'todo',
  remember: 'memory',
  write: 'journal',
  'write down': 'journal',
};

function fill(tool: ModelTool, words: string, url: string | undefined): Chosen | undefined {
  const takes = Object.keys(Object(tool.inputSchema.properties));
  const key = ['text', 'title', 'content', 'item', 'name'].find((one) => takes.includes(one));
  if (!takes.includes('url')) return key && words ? { tool, input: { [key]: words } } : undefined;
  const rest = words.replace(URL_IN, '').replace(/\s+/g, ' ').trim();
  return url === undefined ? undefined : { tool, input: { url, ...(key && rest ? { [key]: rest } : {}) } };
}

/** Undefined for "my list", which is whatever the agent keeps. */
function toolPrefix(topic: string): string | undefined {
  if (/^reading/i.test(topic)) return 'reading_list';
  if (/^to-?do/i.test(topic)) return 'todo';
  if (/^(?:journal|diary)/i.test(topic)) return 'journal';
  return /^(?:memory|knowledge)/i.exec(topic)?.[0].toLowerCase();
}

/** What the agent keeps: the tools named like itself, or the first there are. */
function ownPrefix({ persona, request }: DemoPrompt, suffix: string): string {
  const prefixes = request.tools
    .filter(({ name }) => name.endsWith(suffix))
    .map(({ name }) => name.slice(0, -suffix.length));
  const own = persona.toLowerCase().replace(/[^a-z0-9]+/g, '_');
  return prefixes.find((prefix) => own.includes(prefix)) ?? prefixes[0] ?? '';
}

function plain(text: string): string {
  return text.trim().replace(/[.!?,;]{1,9}$/, '');
}

/** "which colour I like best" becomes "Which colour do you like best?"; a phrase without a subject stays as it is. */
function asQuestion(what: string): string {
  const words = plain(what)
    .replace(/\bI (?=like|prefer|want|need|think|use|have)\b/, 'do you ')
    .replace(/\bmy\b/g, 'your');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}?`;
}

/** A call of the tool that the text names in plain words ("use lookup with city=Bern"); undefined when none is. */
export function callNamedTool(prompt: DemoPrompt): readonly DemoStep[] | undefined {
  const { asked, request } = prompt;
  const tool = request.tools.find(({ name }) => namedIn(asked, name));
  if (!tool) return undefined;
  return [think(`I was asked to use ${tool.name}.`), call(prompt, tool.name, argumentsIn(asked, tool))];
}

/** One sentence for each. */
export function reportResults(results: readonly ModelToolResult[]): readonly DemoStep[] {
  return [say(...results.map(sentence))];
}

function sentence({ name, output, isError }: ModelToolResult): string {
  const { agentId, status, response, message, text } = fieldsIn(output);
  if (name === 'knowledge_search' && !isError) return cited(output);
  if (name === 'ask_user' && text !== undefined) return `You said: ${text}`;
  if (name !== 'agents_message' || !agentId) return isError ? failed(name, output) : told(name, output);
  if (status === 'complete') return `${nameOf(agentId)} replied: ${onOneLine(response ?? '')}`;
  return status === 'started'
    ? `I asked ${nameOf(agentId)}; the reply will come later.`
    : `${nameOf(agentId)}: ${message}`;
}

/** The best passage in its own words, with the link that says where they stand. */
function cited(output: string): string {
  const [, link, passage = ''] = /^(\[[^\n]*\]\(\/knowledge\/[^)\s]+\))\n((?:>[^\n]*(?:\n|$))+)/m.exec(output) ?? [];
  if (link === undefined) return output;
  return `I found this: ${firstSentence(passage.replace(/^>[ #]*/gm, ''))} ${link}`;
}

function failed(name: string, output: string): string {
  return /^The user denied this call/.test(output)
    ? `You denied ${name}, so nothing was done.`
    : `${name} failed: ${onOneLine(output)}`;
}

const LISTS: Readonly<Record<string, string>> = {
  todo_add: 'your to-dos',
  reading_list_add: 'your reading list',
  journal_add: 'your journal',
};

/** What was added is named; everything else is quoted as it came. */
function told(name: string, output: string): string {
  const added = /^Added:\s*(?:- )?(?:\[[ x]\] )?(?:\[\w+\] )?(.+)$/.exec(onOneLine(output))?.[1];
  return added && LISTS[name] ? `Added "${added}" to ${LISTS[name]}.` : `${name}: ${onOneLine(output)}`;
}

function fieldsIn(output: string): Partial<Record<string, string>> {
  try {
    return Object(JSON.parse(output)) as Partial<Record<string, string>>;
  } catch {
    return {};
  }
}

/** What is short. A list stays a list. */
function onOneLine(output: string): string {
  if (output.length > 400) return output;
  const lines = output.trim().split(/\s*\n\s*/);
  return lines.length <= 3 ? lines.join(' ') : output;
}

function namedIn(asked: string, name: string): boolean {
  return new RegExp(`\\b(?:use|call|invoke)\\s+(?:the\\s+)?(?:tool\\s+)?[\`"']?${literal(name)}(?![\\w-])`, 'i').test(
    asked,
  );
}

function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}

/** As JSON, as `key=value` pairs, or else the words after "with" as the one thing that the tool needs. */
function argumentsIn(asked: string, tool: ModelTool): Record<string, unknown> {
  return jsonIn(asked) ?? pairsIn(asked) ?? wordsFor(asked, tool);
}

function jsonIn(asked: string): Record<string, unknown> | undefined {
  const [from, to] = [asked.indexOf('{'), asked.lastIndexOf('}')];
  if (from < 0 || to < from) return undefined;
  try {
    return JSON.parse(asked.slice(from, to + 1)) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

/** A key begins where a word begins: tried at each of its letters, a long word would take time that grows with its square. */
function pairsIn(asked: string): Record<string, unknown> | undefined {
  const pairs = [...asked.matchAll(/\b([A-Za-z_]\w*)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s,]+))/g)];
  if (pairs.length === 0) return undefined;
  return Object.fromEntries(pairs.map(([, key, a, b, c]) => [key, a ?? b ?? plainValue(c ?? '')]));
}

function plainValue(text: string): unknown {
  return /^(?:-?\d+(?:\.\d+)?|true|false|null)$/.test(text) ? JSON.parse(text) : text;
}

function wordsFor(asked: string, { inputSchema }: ModelTool): Record<string, unknown> {
  const words = wordsAfter(/\b(?:with|on|for|about|to say)\s/i.exec(asked));
  const required = Array.isArray(inputSchema.required) ? inputSchema.required[0] : undefined;
  const key = required ?? Object.keys(Object(inputSchema.properties))[0];
  return words === '' || typeof key !== 'string' ? {} : { [key]: words };
}

/** Without the quotation marks around them. */
function wordsAfter(match: RegExpExecArray | null): string {
  const rest = match ? match.input.slice(match.index + match[0].length).trim() : '';
  return rest.replace(/^["“](?=.)/su, '').replace(/(?<=.)["”]$/su, '');
}

import type { ModelTool } from '../types.ts';
import type { DemoPrompt } from './prompt.ts';
import { call, type DemoStep } from './steps.ts';

/** Requests in plain words that an offered tool can carry out: "add https://… to my reading list", "ask me my name". */
export function callRequestedTool(prompt: DemoPrompt): readonly DemoStep[] | undefined {
  for (const { words, choose } of TOOL_REQUESTS) {
    const match = words.exec(prompt.asked);
    const chosen = match && choose(prompt, match);
    if (chosen) return [call(prompt, chosen.tool.name, chosen.input)];
  }
  return undefined;
}

/** How to ask for what the offered tools can do, for the help. */
export function toolRequestExamples({ request }: DemoPrompt): string[] {
  const has = (name: string) => request.tools.some((tool) => tool.name === name);
  return [
    ...(has('reading_list_add') ? ['- add https://example.com/article to my reading list'] : []),
    ...(has('todo_add') ? ['- remind me to water the plants'] : []),
    ...(has('journal_add') ? ['- write that today was a good day'] : []),
    ...(has('ask_user') ? ['- ask me which colour I like'] : []),
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
const TOPIC = '(?:my |the |your )?(reading list|to-?dos?(?: list)?|list|journal|diary|memory)';

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
  return /^memory/i.test(topic) ? 'memory' : undefined;
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

import type { ModelTool, ModelToolResult } from '../types.ts';
import { type DemoPrompt, nameOf } from './prompt.ts';
import { call, type DemoStep, say, think } from './steps.ts';

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
  if (name === 'ask_user' && text !== undefined) return `You said: ${text}`;
  if (name !== 'agents_message' || !agentId) return isError ? failed(name, output) : told(name, output);
  if (status === 'complete') return `${nameOf(agentId)} replied: ${onOneLine(response ?? '')}`;
  return status === 'started'
    ? `I asked ${nameOf(agentId)}; the reply will come later.`
    : `${nameOf(agentId)}: ${message}`;
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

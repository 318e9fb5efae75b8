import { BUILDER_TOOLS, type Judgement } from '../../../contract/builder.ts';
import type { ModelMessage, ModelToolResult } from '../types.ts';
import { changeDraft, type Draft, type Options, writeDraft } from './builder-draft.ts';
import type { DemoPrompt } from './prompt.ts';
import { call, type DemoStep, say, think } from './steps.ts';

const { options, draft, create } = BUILDER_TOOLS;
const AGREED =
  /^(?:yes|ok(?:ay)?|perfect|good|fine|go ahead|do it|(?:please )?(?:create|make|save|add) (?:it|the agent|that))\b/i;
const GREETED = /^(?:help|hi|hello|hey)\b|^$/i;
/** Longer than this it says more than yes or hello. */
const SHORT = 60;

/** Plays the builder of agents: wherever its tools are offered, whatever is said is about an agent. */
export function buildAgent(prompt: DemoPrompt): readonly DemoStep[] | undefined {
  const { request, results, asked } = prompt;
  if (!request.tools.some(({ name }) => name === draft)) return undefined;
  if (results) return goOn(prompt, results);
  const { words, given } = readAsked(asked);
  const current = given ?? lastDraft(request.messages);
  const isShort = words.length <= SHORT;
  if (current && isShort && AGREED.test(words)) return [call(prompt, create, { definition: current })];
  if (!given && isShort && GREETED.test(words)) return undefined;
  return [think("First I'll check which models, tools and templates are available."), call(prompt, options, {})];
}

/** Once a tool has answered. */
function goOn(prompt: DemoPrompt, results: readonly ModelToolResult[]): readonly DemoStep[] {
  const { name, output, isError } = results.at(-1)!;
  if (name === options) return [call(prompt, draft, { definition: nextDraft(prompt, read<Options>(output)) })];
  const current = lastDraft(prompt.request.messages);
  if (name === draft && current) return isError ? mend(prompt, current, output) : [say(...present(current, output))];
  return [say(isError ? `The agent was not created: ${output}` : `${output} You can find it in the list of agents.`)];
}

function nextDraft({ asked, request }: DemoPrompt, known: Options | undefined): Draft {
  const there = known ?? { models: [], tools: [], templates: [] };
  const { words, given } = readAsked(asked);
  const current = given ?? lastDraft(request.messages);
  return current ? changeDraft(current, words, there) : writeDraft(words, there);
}

/** The only problem that the demo can fix alone is an id that is taken. */
function mend(prompt: DemoPrompt, current: Draft, output: string): readonly DemoStep[] {
  if (!/already (?:exists|defines another)/.test(output)) return [say('The draft still has problems:', '', output)];
  const [, stem = current.agentId, number = '1'] = /^(.*?)(?:-(\d+))?$/.exec(current.agentId) ?? [];
  return [call(prompt, draft, { definition: { ...current, agentId: `${stem}-${Number(number) + 1}` } })];
}

function present({ agentId, displayName, chat }: Draft, output: string): string[] {
  const { mayUse, mayAskToUse, notes } = read<Judgement>(output) ?? { mayUse: [], mayAskToUse: [], notes: [] };
  const [free, asked] = [mayUse, mayAskToUse].map((names) => names.filter((name) => !name.startsWith('system_')));
  return [
    `Here is a draft of **${displayName}** (\`${agentId}\`).`,
    '',
    `- It uses ${[chat.provider, chat.model].filter(Boolean).join('/')}.`,
    ...toolLines(free, asked),
    ...notes.map((note) => `- ${note}`),
    '',
    'Edit it, or tell me what to change: “call it Scout”, “it may use the web”, “it should ask first”. ' +
      'When you are happy with it, say “create it”.',
    '',
    '(I am the offline demo: I match keywords, not meaning.)',
  ];
}

function toolLines(free: readonly string[] = [], asked: readonly string[] = []): string[] {
  if (free.length + asked.length === 0) return ['- It has no tools.'];
  return [
    ...(free.length > 0 ? [`- It can use ${free.join(', ')}.`] : []),
    ...(asked.length > 0 ? [`- It asks you before it uses ${asked.join(', ')}.`] : []),
  ];
}

const FENCE = '```json\n';
const FENCE_END = '\n```';

/** What is said, and the draft that goes with it when the person has changed it by hand. */
function readAsked(asked: string): { words: string; given: Draft | undefined } {
  const from = asked.indexOf(FENCE);
  const to = from < 0 ? -1 : asked.indexOf(FENCE_END, from);
  const given = to < 0 ? undefined : read<Draft>(asked.slice(from + FENCE.length, to));
  if (!given?.agentId) return { words: asked.trim(), given: undefined };
  return { words: `${asked.slice(0, from)}${asked.slice(to + FENCE_END.length)}`.trim(), given };
}

function lastDraft(messages: readonly ModelMessage[]): Draft | undefined {
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []));
  const last = calls.findLast(({ name }) => name === draft);
  return last && read<{ definition: Draft }>(last.input)?.definition;
}

function read<T extends object>(json: string): T | undefined {
  try {
    return JSON.parse(json) as T;
  } catch {
    return undefined;
  }
}

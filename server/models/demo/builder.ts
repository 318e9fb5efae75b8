import { BUILDER_TOOLS, type Judgement } from '../../../contract/builder.ts';
import type { ModelMessage, ModelToolResult } from '../types.ts';
import { changeDraft, type Draft, type Options, toolLines, writeDraft } from './drafting.ts';
import type { DemoPrompt } from './prompt.ts';
import { AGREED, read, readAsked, SHORT } from './read-asked.ts';
import { call, type DemoStep, say, think } from './steps.ts';
import { buildTeam } from './team-builder.ts';

const { options, draft, create } = BUILDER_TOOLS;
const GREETED = /^(?:help|hi|hello|hey)\b|^$/i;

/** Plays the builder of agents: wherever its tools are offered, whatever is said is about an agent. */
export function buildAgent(prompt: DemoPrompt): readonly DemoStep[] | undefined {
  const { request, results, asked } = prompt;
  if (!request.tools.some(({ name }) => name === draft)) return undefined;
  const team = buildTeam(prompt);
  if (team) return team;
  if (results) return goOn(prompt, results);
  const { words, given } = readAsked<Draft>(asked, 'agentId');
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
  const { words, given } = readAsked<Draft>(asked, 'agentId');
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

function lastDraft(messages: readonly ModelMessage[]): Draft | undefined {
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []));
  const last = calls.findLast(({ name }) => name === draft);
  return last && read<{ definition: Draft }>(last.input)?.definition;
}

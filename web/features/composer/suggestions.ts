import type { Agent } from '../../../contract/agents.ts';
import { COMMAND_NAMES, COMMANDS, type CommandName, commandAgentAt, commandAt } from './commands.ts';

export type Suggestion =
  | { readonly kind: 'agent'; readonly key: string; readonly agent: Agent; readonly insert: string }
  | { readonly kind: 'everyone'; readonly key: string; readonly insert: string }
  | { readonly kind: 'command'; readonly key: string; readonly name: CommandName; readonly insert: string };

/** What could stand in a piece of the text, best first. */
export interface Suggestions {
  readonly start: number;
  readonly end: number;
  readonly items: readonly Suggestion[];
}

const MOST = 50;
const EVERYONE = 'all';

/** What the list above the box offers while the person writes; null when there is nothing to offer. */
export function suggest(
  text: string,
  caret: number,
  agents: readonly Agent[],
  primary: string | null = null,
): Suggestions | null {
  const found = guests(text, caret, agents, primary) ?? commands(text, caret) ?? commandAgents(text, caret, agents);
  return found && found.items.length > 0 ? found : null;
}

/** Of the session's team first, then those below its primary. Agents that are being tried are hidden from others only. */
export function nearestFirst(agents: readonly Agent[], primary: string | null, team: readonly string[]): Agent[] {
  const rank = ({ agentId, parentAgentId }: Agent) =>
    team.includes(agentId) ? 0 : primary !== null && parentAgentId === primary ? 1 : 2;
  const shown = agents.map((agent) => (team.includes(agent.agentId) ? { ...agent, uiVisible: true } : agent));
  return shown.sort((one, other) => rank(one) - rank(other));
}

/** The primary answers anyway, so the other agents come before it. */
function guests(text: string, caret: number, agents: readonly Agent[], primary: string | null): Suggestions | null {
  const span = nameAt(text, caret);
  if (!span) return null;
  const typed = text.slice(span.start + 1, caret);
  const fits = fitting(typed, agents);
  const sorted = [...fits.filter((one) => one.agentId !== primary), ...fits.filter((one) => one.agentId === primary)];
  const named = sorted.map((agent) => toSuggestion(agent, `@${agent.agentId} `));
  const everyone: Suggestion[] = EVERYONE.startsWith(typed.toLowerCase())
    ? [{ kind: 'everyone', key: '@all', insert: `@${EVERYONE} ` }]
    : [];
  return { ...span, items: [...named, ...everyone] };
}

function commands(text: string, caret: number): Suggestions | null {
  const found = commandAt(text, caret);
  if (!found) return null;
  const names = bestFits(found.typed, COMMAND_NAMES, (name) => [name]);
  return { start: found.start, end: found.end, items: names.map(toCommand) };
}

function commandAgents(text: string, caret: number, agents: readonly Agent[]): Suggestions | null {
  const found = commandAgentAt(text, caret);
  if (!found) return null;
  const items = fitting(found.typed, agents).map((agent) => toSuggestion(agent, agent.agentId));
  return { start: found.start, end: found.end, items };
}

/** Those who are hidden are not offered; those who cannot answer come last, with the reason. */
function fitting(typed: string, agents: readonly Agent[]): Agent[] {
  const shown = agents.filter(({ uiVisible }) => uiVisible);
  const best = bestFits(typed, shown, ({ agentId, displayName }) => [agentId, displayName]).slice(0, MOST);
  return [...best.filter(({ available }) => available), ...best.filter(({ available }) => !available)];
}

function toSuggestion(agent: Agent, insert: string): Suggestion {
  return { kind: 'agent', key: agent.agentId, agent, insert };
}

function toCommand(name: CommandName): Suggestion {
  return { kind: 'command', key: `/${name}`, name, insert: COMMANDS[name] === 'wanted' ? `/${name} ` : `/${name}` };
}

/** A command that is complete is carried out when it is taken; the name of an agent in a message is not. */
export function isRunnable(suggestion: Suggestion, text: string): boolean {
  return suggestion.kind !== 'everyone' && text.startsWith('/') && !suggestion.insert.endsWith(' ');
}

/** As it is written when the person goes on after it. */
export function completed(suggestion: Suggestion): Suggestion {
  const goesOn = suggestion.kind === 'command' && COMMANDS[suggestion.name] === 'free';
  return goesOn ? { ...suggestion, insert: `${suggestion.insert} ` } : suggestion;
}

/** The text with a suggestion in its place, and where the caret goes. A space that is there already is not doubled. */
export function take(text: string, { start, end }: Suggestions, { insert }: Suggestion) {
  const rest = text.slice(end);
  const after = insert.endsWith(' ') ? rest.replace(/^[ \t]/, '') : rest;
  return { text: text.slice(0, start) + insert + after, caret: start + insert.length };
}

const WORD_BREAK = /[\s/._-]/;

/** How well what is typed fits a name: 0 not at all, 4 best. Letters count in their order, capitals do not. */
export function fitness(typed: string, name: string): number {
  const wanted = typed.toLowerCase();
  const whole = name.toLowerCase();
  const at = whole.indexOf(wanted);
  if (at === 0) return 4;
  if (beginsWord(whole, wanted)) return 3;
  if (at > 0) return 2;
  return isScattered(wanted, whole) ? 1 : 0;
}

function beginsWord(whole: string, wanted: string): boolean {
  for (let at = whole.indexOf(wanted, 1); at > 0; at = whole.indexOf(wanted, at + 1))
    if (WORD_BREAK.test(whole[at - 1]!)) return true;
  return false;
}

function isScattered(wanted: string, whole: string): boolean {
  let at = 0;
  for (const letter of whole) if (letter === wanted[at]) at += 1;
  return at === wanted.length;
}

/** Those that fit, best first; equals stay in their order. */
export function bestFits<T>(typed: string, all: readonly T[], namesOf: (one: T) => readonly string[]): T[] {
  return all
    .map((one) => ({ one, score: Math.max(...namesOf(one).map((name) => fitness(typed, name))) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ one }) => one);
}

interface Span {
  readonly start: number;
  readonly end: number;
}

const NAME = /@(?:[\p{L}\p{N}][\p{L}\p{N}\p{M}._/-]*)?/uy;
const BETWEEN = /[\s,]+(?:and\s+)?(?=@)/iuy;

/** The `@names` a message begins with. Only these decide who answers; one further on is a word like any other. */
export function leadingNames(text: string): Span[] {
  const spans: Span[] = [];
  let at: number | null = text.length - text.trimStart().length;
  while (at !== null) {
    const end = endOf(NAME, text, at);
    if (end === null) break;
    spans.push({ start: at, end });
    at = endOf(BETWEEN, text, end);
  }
  return spans;
}

/** The name that is being written where the caret stands. */
export function nameAt(text: string, caret: number): Span | null {
  return leadingNames(text).find(({ start, end }) => start < caret && caret <= end) ?? null;
}

/**
 * As much of a message as decides who answers it: the names and the character after them. It stays the same while the
 * rest is written, so that nothing has to be asked again.
 */
export function leadOf(text: string): string | null {
  const spans = leadingNames(text).filter(({ start, end }) => end - start > 1);
  const last = spans.at(-1);
  return last ? text.slice(spans[0]!.start, last.end + 1) : null;
}

function endOf(pattern: RegExp, text: string, at: number): number | null {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : null;
}

import type { Agent } from '../../../contract/agents.ts';
import { COMMAND_NAMES, COMMANDS, type CommandName, commandAgentAt, commandAt } from './commands.ts';
import { bestFits } from './fitness.ts';
import { nameAt } from './leading-names.ts';

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
export const EVERYONE = 'all';

/** What the list above the box offers while somebody writes; null when there is nothing to offer. */
export function suggest(
  text: string,
  caret: number,
  agents: readonly Agent[],
  primary: string | null = null,
): Suggestions | null {
  const found = guests(text, caret, agents, primary) ?? commands(text, caret) ?? commandAgents(text, caret, agents);
  return found && found.items.length > 0 ? found : null;
}

/** The primary answers anyway, so whoever else there is comes before it. */
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

/** A command that is complete is carried out when it is taken; somebody's name in a message is not. */
export function isDeed(suggestion: Suggestion, text: string): boolean {
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

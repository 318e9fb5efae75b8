import type { Attachable } from '../../../contract/files.ts';
import type { ModelMessage, ModelToolResult } from '../../models/types.ts';
import type { AttachedFile, AttributedMessage, SpokenCall, SpokenStep } from '../agent.ts';
import { imagesAmong, withFiles } from './attached-files.ts';
import { noteAnswerable, noteGiven } from './delegated-work.ts';
import { neutralise, tagDelegate, tagFrom } from './from-tag.ts';
import { oneLine, withoutContextTags } from './one-line.ts';

/**
 * The history as one agent reads it: its own words plain and with what it did, the words of others tagged with their
 * name. `textOnly` leaves out what it did: a request without tools must not speak of any. `takes` is what it is shown
 * of attached files.
 */
export function readAs(
  agentId: string,
  history: readonly AttributedMessage[],
  summary: string | null,
  { textOnly = false, takes = NOTHING }: { textOnly?: boolean; takes?: readonly Attachable[] } = {},
): ModelMessage[] {
  const messages: ModelMessage[] = summary === null ? [] : [{ role: 'user', text: presentSummary(summary) }];
  for (const message of history) messages.push(...readMessage(agentId, message, textOnly, takes));
  return messages;
}

const NOTHING: readonly Attachable[] = [];
const images = new WeakMap<ModelMessage, readonly AttachedFile[]>();

/** What a message that was read here wants to be shown with. */
export function imagesOf(message: ModelMessage): readonly AttachedFile[] {
  return images.get(message) ?? [];
}

export function presentSummary(summary: string): string {
  return `[This is a summary of the beginning of this conversation; the messages after it are complete.]\n\n${neutralise(summary)}`;
}

/**
 * What a request to go on says of a step: the same, object for object, while its turn goes on and ever after, so that a
 * provider's prompt cache keeps working.
 */
export function readStep(step: SpokenStep): readonly ModelMessage[] {
  const known = stepReadings.get(step);
  if (known) return known;
  const made = makeStep(step);
  stepReadings.set(step, made);
  return made;
}

const stepReadings = new WeakMap<SpokenStep, readonly ModelMessage[]>();
const INTERRUPTED = 'The call was interrupted. Its result is unknown.';

function makeStep({ text, calls, opaque }: SpokenStep): ModelMessage[] {
  const words = neutralise(text);
  if (calls.length === 0) return words === '' ? [] : [{ role: 'assistant', text: words }];
  const toolCalls = calls.map(({ callId: id, name, input }) => ({ id, name, input }));
  return [
    { role: 'assistant', text: words, toolCalls, ...(opaque !== undefined && { opaque }) },
    { role: 'tool', results: calls.map(resultOf) },
  ];
}

/** A request with a call that has no result is refused by every provider. What tools bring holds no speaker's tag. */
function resultOf({ callId: id, name, result }: SpokenCall): ModelToolResult {
  return { id, name, output: neutralise(result?.output ?? INTERRUPTED), isError: result?.isError ?? true };
}

type Way = 'own' | 'own words' | 'sent' | 'named' | 'gave' | 'does' | 'watches';

/** A message reads in few ways; each is made once, so that a long history costs nothing to read again. */
const readings = new WeakMap<AttributedMessage, Partial<Record<string, readonly ModelMessage[]>>>();

function readMessage(
  agentId: string,
  message: AttributedMessage,
  textOnly: boolean,
  takes: readonly Attachable[],
): readonly ModelMessage[] {
  const known = readings.get(message) ?? {};
  readings.set(message, known);
  const way = wayOf(agentId, message, textOnly);
  const key = message.files ? `${way} ${takes}` : way;
  known[key] ??= message.files ? [readFiles(message, takes)] : makeReading(message, way);
  return known[key];
}

/** Only people attach files. */
function readFiles({ text, files = [] }: AttributedMessage, takes: readonly Attachable[]): ModelMessage {
  const message: ModelMessage = { role: 'user', text: withFiles(neutralise(text), files, takes) };
  images.set(message, imagesAmong(files, takes));
  return message;
}

function wayOf(agentId: string, { role, agent, from, steps }: AttributedMessage, textOnly: boolean): Way {
  switch (role) {
    case 'user':
      return 'sent';
    case 'delegation':
      if (from === agentId) return 'gave';
      return agent === agentId ? 'does' : 'watches';
    case 'assistant':
      if (agent !== null && agent !== agentId) return 'named';
      return textOnly || !steps ? 'own words' : 'own';
  }
}

function makeReading(message: AttributedMessage, way: Way): ModelMessage[] {
  const { agent, text, from = 'Somebody', steps = [], refusal = null } = message;
  switch (way) {
    case 'sent':
      return [{ role: 'user', text: sentText(message) }];
    case 'own':
      return steps.flatMap(readStep);
    case 'own words':
      return text === '' ? [] : [{ role: 'assistant', text: neutralise(text) }];
    case 'named':
      return text === '' ? [] : [noteAnswerable({ role: 'assistant', text: tagFrom(agent ?? '', text) })];
    case 'gave':
      return [noteGiven({ role: 'assistant', text: tagDelegate(agent ?? '', text) }, { to: agent ?? '', refusal })];
    case 'does':
      return [{ role: 'user', text: tagFrom(from, text) }];
    case 'watches':
      return [
        noteAnswerable({
          role: 'assistant',
          text: tagFrom(from, `I asked ${agent} to do this: ${withRefusal(text, refusal)}`),
        }),
      ];
  }
}

function sentText({ agent, text, webhook }: AttributedMessage): string {
  if (webhook !== undefined) return tagFrom(`webhook ${oneLine(webhook)}`, withoutContextTags(text));
  return agent === null ? neutralise(text) : tagFrom(agent, text);
}

function withRefusal(task: string, refusal: string | null): string {
  return refusal === null ? task : `${task}\n\n[${refusal}]`;
}

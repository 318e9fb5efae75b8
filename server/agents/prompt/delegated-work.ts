import type { ModelMessage } from '../../models/types.ts';
import { neutralise } from './from-tag.ts';
import { oneLine } from './one-line.ts';

/** Work that the reader of a request gave to another agent by a tag. */
interface Given {
  readonly to: string;
  /** Why the agent was not asked. */
  readonly refusal: string | null;
}

const givenBy = new WeakMap<ModelMessage, Given>();
const answerable = new WeakSet<ModelMessage>();

/** Marks a message as the tag with which the reader gave work away. */
export function noteGiven(message: ModelMessage, given: Given): ModelMessage {
  givenBy.set(message, given);
  return message;
}

/** Marks a message as the words of another agent, which may be an answer to the reader. */
export function noteAnswerable(message: ModelMessage): ModelMessage {
  answerable.add(message);
  return message;
}

/**
 * The same conversation with roles that alternate around delegated work, which some servers insist on: the reader's words
 * and its tag are one message, as it wrote them, and everything that was said in answer is one message in the role of the
 * user. What is made of a delegation stays the same in every later request.
 */
export function alternateDelegated(messages: readonly ModelMessage[]): ModelMessage[] {
  const turns: ModelMessage[] = [];
  for (let index = 0; index < messages.length; ) {
    const message = messages[index++]!;
    const given = givenBy.get(message);
    if (!given) {
      turns.push(message);
      continue;
    }
    const from = index;
    while (index < messages.length && answerable.has(messages[index]!)) index++;
    pushTag(turns, textOf(message));
    turns.push({ role: 'user', text: wordsOnAnswers(given, messages.slice(from, index).map(textOf)) });
  }
  return turns;
}

/** The words before a tag and the tag are one answer. */
function pushTag(turns: ModelMessage[], tag: string): void {
  const before = turns.at(-1);
  const isOwn = before?.role === 'assistant' && !before.toolCalls?.length && !answerable.has(before);
  if (!isOwn) turns.push({ role: 'assistant', text: tag });
  else turns[turns.length - 1] = { role: 'assistant', text: `${before.text.trimEnd()}\n\n${tag}` };
}

function wordsOnAnswers({ to, refusal }: Given, answers: readonly string[]): string {
  if (refusal !== null) return `[${oneLine(to)} was not asked: ${neutralise(oneLine(refusal))} ${GO_ON_WITHOUT}]`;
  if (answers.length === 0) return `[${oneLine(to)} has not answered. ${GO_ON_WITHOUT}]`;
  return [ANSWERED, ...answers].join('\n\n');
}

const ANSWERED = '[The agents you asked have answered. Continue from what they said: reply, or ask further.]';
const GO_ON_WITHOUT = 'Continue without that answer, or ask another agent.';

function textOf(message: ModelMessage): string {
  return message.role === 'tool' ? '' : message.text;
}

/** Puts what is said of the message to answer right after it; without a message of an agent, at the end. */
export function frameInput(messages: readonly ModelMessage[], framing: string | null): ModelMessage[] {
  if (framing === null) return [...messages];
  const at = messages.findLastIndex((message) => message.role === 'user' && message.text.startsWith('<from '));
  if (at < 0) return [...messages, { role: 'user', text: framing }];
  return messages.with(at, { role: 'user', text: `${textOf(messages[at]!)}\n\n${framing}` });
}

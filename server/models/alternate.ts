import type { ModelMessage } from './types.ts';

/**
 * The same conversation as providers take it: it begins with the user, no message is empty, and roles alternate, which some
 * servers insist on. After a turn without an answer two messages of the user follow each other, and so do the answers of
 * several agents to one message. Messages of the user become one with marks between them, as do those of other agents, which are tagged with their
 * names. What stands beside the model's own words is kept apart from them. A message that is made here is the same object
 * as long as those that it is made of are.
 */
export function alternate(messages: readonly ModelMessage[]): ModelMessage[] {
  const turns: ModelMessage[] = [];
  for (const message of messages) {
    if (isEmpty(message)) continue;
    const last = turns.at(-1);
    if (last === undefined && message.role === 'assistant') turns.push(BEGUN);
    if (last?.role !== message.role || message.role === 'tool') turns.push(message);
    else if (isJoinable(last, message)) turns.splice(-1, 1, joined(last, message));
    else turns.push(isOthers(message) ? ANOTHER : OWN, message);
  }
  return turns;
}

const BEGUN: ModelMessage = { role: 'user', text: '(The conversation continues.)' };
const ANOTHER: ModelMessage = { role: 'user', text: '[Another agent also answered:]' };
const OWN: ModelMessage = { role: 'user', text: '[You also answered:]' };

function isEmpty(message: ModelMessage): boolean {
  if (message.role === 'tool') return message.results.length === 0;
  if (message.text.trim() !== '') return false;
  return message.role === 'user' ? !message.images?.length : !message.toolCalls?.length;
}

function isJoinable(first: ModelMessage, second: ModelMessage): boolean {
  return first.role === 'user' || (isOthers(first) && isOthers(second));
}

/** The words of another agent. The model's own never begin with a tag: it would have been neutralised. */
function isOthers(message: ModelMessage): boolean {
  return message.role === 'assistant' && message.text.startsWith('<from ');
}

const known = new WeakMap<ModelMessage, WeakMap<ModelMessage, ModelMessage>>();

function joined(first: ModelMessage, second: ModelMessage): ModelMessage {
  const made = known.get(first) ?? new WeakMap<ModelMessage, ModelMessage>();
  known.set(first, made);
  const message = made.get(second) ?? join(first, second);
  made.set(second, message);
  return message;
}

function join(first: ModelMessage, second: ModelMessage): ModelMessage {
  if (first.role === 'tool' || second.role === 'tool') return second;
  if (first.role === 'assistant') return { role: 'assistant', text: `${first.text}\n\n${second.text}` };
  const images = [...(first.images ?? []), ...(second.role === 'user' ? (second.images ?? []) : [])];
  const text = [joins.has(first) ? first.text : withoutNext(first.text), withoutNext(second.text)].join(
    `\n\n${NEXT}\n\n`,
  );
  const message: ModelMessage = { role: 'user', text, ...(images.length > 0 && { images }) };
  joins.add(message);
  return message;
}

/** Where a message ends and the next one of the user begins, so that what is said of a message is said of it alone. */
const NEXT = '[Next message:]';

const joins = new WeakSet<ModelMessage>();

/** No text can make the model believe that another message begins in it. */
function withoutNext(text: string): string {
  return text.replaceAll(NEXT, '(Next message:)');
}

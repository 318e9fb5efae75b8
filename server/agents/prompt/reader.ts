import type { ModelMessage } from '../../models/types.ts';
import type { AttributedMessage } from '../adapter.ts';
import { neutralise, tagFrom } from './from-tag.ts';

/** The history as one agent reads it: its own words plain, everyone else's with their name on them. */
export function readAs(agentId: string, history: readonly AttributedMessage[], summary: string | null): ModelMessage[] {
  const messages = history.map((message) => readMessage(agentId, message));
  return summary === null ? messages : [{ role: 'user', text: presentSummary(summary) }, ...messages];
}

export function presentSummary(summary: string): string {
  return `[The beginning of this conversation is summarised here; the messages after it are word for word.]\n\n${neutralise(summary)}`;
}

interface Readings {
  own?: ModelMessage;
  others?: ModelMessage;
}

/** A message reads in at most two ways; both are made once, so that a long history costs nothing to read again. */
const readings = new WeakMap<AttributedMessage, Readings>();

function readMessage(agentId: string, message: AttributedMessage): ModelMessage {
  const known = readings.get(message) ?? {};
  readings.set(message, known);
  if (message.role === 'user') {
    known.own ??= { role: 'user', text: neutralise(message.text) };
    return known.own;
  }
  if (message.agent === null || message.agent === agentId) {
    known.own ??= { role: 'assistant', text: neutralise(message.text) };
    return known.own;
  }
  known.others ??= { role: 'assistant', text: tagFrom(message.agent, message.text) };
  return known.others;
}

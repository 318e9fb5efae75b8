import { setTimeout as sleep } from 'node:timers/promises';
import type { Attempt } from '../attempt.ts';
import type { ModelEvent, ModelRequest, ModelUsage } from '../types.ts';
import { readPrompt } from './prompt.ts';
import { replyTo } from './reply.ts';
import type { DemoStep } from './steps.ts';

/**
 * The built-in model: offline, without a key, and the same words for the same request. It is named `demo`, which talks
 * at about the pace of a real model, or `demo-fast`, which does not wait at all.
 */
export function demoAttempt(model: string): Attempt {
  const tokenMs = model.endsWith('-fast') ? 0 : TOKEN_MS;
  return (request, signal) => perform(request, tokenMs, signal);
}

const TOKEN_MS = 22;
const SLOWER = 10;

async function* perform(
  request: ModelRequest,
  tokenMs: number,
  signal: AbortSignal,
): AsyncGenerator<readonly ModelEvent[], void> {
  let pace = tokenMs;
  let called = false;
  let written = 0;
  for (const step of replyTo(readPrompt(request))) {
    if (step.kind === 'slow') pace = tokenMs * SLOWER;
    if (step.kind === 'call') called = true;
    if (step.kind === 'fail') throw step.fault;
    if (step.kind === 'stall') await sleep(FOREVER, undefined, { signal });
    for (const event of eventsOf(step)) {
      written += 1;
      if (pace > 0) await sleep(pace, undefined, { signal });
      yield [event];
    }
  }
  yield [
    { type: 'usage', usage: usageOf(request, written) },
    { type: 'end', reason: called ? 'tool_calls' : 'stop' },
  ];
}

const FOREVER = 2 ** 31 - 1;

function eventsOf(step: DemoStep): readonly ModelEvent[] {
  switch (step.kind) {
    case 'say':
      return tokens(step.text).map((text) => ({ type: 'text', text }));
    case 'think':
      return tokens(step.text).map((text) => ({ type: 'reasoning', text }));
    case 'call':
      return [{ type: 'tool_call', id: step.id, name: step.name, input: step.input }];
    default:
      return [];
  }
}

/** Pieces of about the size of a model's tokens: a short word with the space before it, or a part of a long one. */
function tokens(text: string): string[] {
  return text.match(/\s*[^\s]{1,6}|\s+$/gu) ?? [];
}

function usageOf({ system, messages }: ModelRequest, outputTokens: number): ModelUsage {
  let characters = system.length;
  for (const message of messages) if (message.role !== 'tool') characters += message.text.length;
  return { inputTokens: Math.ceil(characters / 4), outputTokens };
}

import type { TextRef } from '../../contract/texts.ts';
import type { TextKey } from '../i18n/en.ts';
import { failureText, text } from '../i18n/text.ts';

/** `setup`: its key or settings. `wait`: it passes. `compact`: the conversation is too long. `gone`: choose another. */
export type Remedy = 'setup' | 'wait' | 'compact' | 'gone' | 'retry';

interface Cause {
  readonly key: TextKey;
  readonly remedy: Remedy;
}

const CAUSES: Readonly<Record<string, Cause>> = {
  agent_unavailable: { key: 'failure.cause.unavailable', remedy: 'setup' },
  agent_card_changed: { key: 'failure.cause.cardChanged', remedy: 'setup' },
  agent_card_unusable: { key: 'failure.cause.cardUnusable', remedy: 'wait' },
  model_unauthorized: { key: 'failure.cause.unauthorized', remedy: 'setup' },
  model_not_found: { key: 'failure.cause.modelNotFound', remedy: 'setup' },
  model_rejected: { key: 'failure.cause.rejected', remedy: 'setup' },
  model_unreachable: { key: 'failure.cause.unreachable', remedy: 'wait' },
  model_rate_limited: { key: 'failure.cause.rateLimited', remedy: 'wait' },
  model_overloaded: { key: 'failure.cause.overloaded', remedy: 'wait' },
  model_first_token_timeout: { key: 'failure.cause.timeout', remedy: 'wait' },
  model_idle_timeout: { key: 'failure.cause.timeout', remedy: 'wait' },
  model_stream_broken: { key: 'failure.cause.broken', remedy: 'wait' },
  model_context_overflow: { key: 'failure.cause.tooLong', remedy: 'compact' },
  agent_not_found: { key: 'failure.cause.gone', remedy: 'gone' },
  empty_answer: { key: 'failure.cause.empty', remedy: 'retry' },
  answer_too_large: { key: 'failure.cause.tooLarge', remedy: 'retry' },
  server_stopped: { key: 'failure.cause.restarted', remedy: 'retry' },
  turn_timeout: { key: 'failure.cause.turnTimeout', remedy: 'retry' },
};

export interface Failure {
  code: string;
  message: string;
  text?: TextRef | undefined;
}

/** Why it failed, in one line. */
export function failureCause(failure: Failure, name: string): string {
  const known = CAUSES[failure.code];
  return known ? text(known.key, { name }) : firstLine(failureText(failure));
}

export function failureRemedy(code: string): Remedy {
  return CAUSES[code]?.remedy ?? 'retry';
}

function firstLine(message: string): string {
  const line = message.split('\n', 1)[0] ?? '';
  return line.length > 160 ? `${line.slice(0, 159)}…` : line;
}

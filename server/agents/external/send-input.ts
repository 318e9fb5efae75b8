import { createHmac, timingSafeEqual } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { HOPS_HEADER } from '../../../contract/hops.ts';
import { say } from '../../../contract/texts.ts';
import { toTurnError } from '../../../contract/turns.ts';
import { type GuardedAnswer, guardedFetch } from '../../tools/guarded-fetch.ts';
import { FetchFailure } from '../../tools/guarded-fetch-failure.ts';
import type { AgentDeps } from '../agent.ts';
import { TextAgentFailure } from '../text-agent.ts';
import type { ExternalSettings } from './settings.ts';

const BACKOFF_MS = [500, 1000, 2000];
const TIMEOUT_MS = 30_000;
const MAX_ANSWER_BYTES = 64_000;

/** What is sent to an external agent. The same `key` is the same input, however often it arrives. */
export interface Input {
  readonly key: string;
  readonly body: object;
  /** How many servers the message has passed through, this one included. */
  readonly hops: number;
}

/** Sent again only while the agent cannot have taken it: when it was not reached, is overloaded or broken. */
export async function sendInput(
  settings: ExternalSettings,
  deps: AgentDeps,
  agent: string,
  input: Input,
  signal: AbortSignal,
): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    const reason = await trySending(settings, deps, input, signal);
    if (reason === null) return;
    if (!reason.mayPass || attempt >= BACKOFF_MS.length)
      throw new TextAgentFailure(
        toTurnError('agent_unreachable', say('agent_unreachable', { agent, reason: reason.words }), true),
      );
    await pause(BACKOFF_MS[attempt], undefined, { signal });
  }
}

/** Null when the agent has taken it. */
async function trySending(settings: ExternalSettings, deps: AgentDeps, input: Input, signal: AbortSignal) {
  try {
    const { status } = await post(settings, deps, input, signal);
    if (status >= 200 && status < 300) return null;
    return { words: `HTTP ${status}`, mayPass: status === 429 || status >= 500 };
  } catch (error) {
    if (!(error instanceof FetchFailure)) throw error;
    return { words: error.message, mayPass: error.code === 'unreachable' };
  }
}

function post(
  settings: ExternalSettings,
  { allowedHosts }: AgentDeps,
  { key, body, hops }: Input,
  signal: AbortSignal,
): Promise<GuardedAnswer> {
  const text = JSON.stringify(body);
  const timestamp = Math.floor(Date.now() / 1000).toString();
  return guardedFetch(settings.inputUrl, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'Idempotency-Key': key,
      [HOPS_HEADER]: String(hops),
      'Parley-Timestamp': timestamp,
      'Parley-Signature': `v1=${createHmac('sha256', settings.secret()).update(`${timestamp}.${text}`).digest('hex')}`,
    },
    body: text,
    signal,
    allowHosts: allowedHosts(),
    maxBytes: MAX_ANSWER_BYTES,
    timeoutMs: TIMEOUT_MS,
  });
}

/** Made from the secret, so that it is the same after a restart and is stored nowhere. */
export function callbackToken({ secret }: ExternalSettings, turnId: string): string {
  return `parley-callback-${createHmac('sha256', secret()).update(`callback ${turnId}`).digest('base64url')}`;
}

export function isCallbackToken(settings: ExternalSettings, turnId: string, token: string): boolean {
  const [given, expected] = [Buffer.from(token), Buffer.from(callbackToken(settings, turnId))];
  return given.length === expected.length && timingSafeEqual(given, expected);
}

import type { TextRef } from '../../contract/texts.ts';
import { type FaultFacts, ProviderFault, type Target } from './attempt.ts';
import { cleanMessage, isHtml, redact } from './clean-message.ts';
import { networkFailure } from './network-failure.ts';
import type { ModelFailure, ModelFailureCode } from './types.ts';

/** What went wrong, in the seam's terms. Takes anything that can be thrown. */
export function failureOf(error: unknown, target: Target): ModelFailure {
  const fault = faultIn(error);
  if (!fault) return networkFailure(error, target);
  const { code, status } = fault.facts;
  const named = { who: who(target) };
  if (code) return failure(code, redact(`${who(target)} ${fault.message}.`, target.secrets), undefined, named);
  if (status !== undefined && isOverflow(fault.facts))
    return failure('model_context_overflow', overflowWords(fault, target), undefined, {
      detail: detailOf(fault, target),
    });
  const values = { ...named, detail: detailOf(fault, target) };
  return failure(codeOf(fault.facts), answerWords(fault, target), isFinal(fault.facts) ? false : undefined, values);
}

/** The AI SDK wraps what a stream throws. */
export function faultIn(error: unknown, depth = 0): ProviderFault | undefined {
  if (error instanceof ProviderFault) return error;
  return error instanceof Error && depth < 6 ? faultIn(error.cause, depth + 1) : undefined;
}

/** An error that arrived inside a stream that had begun well: its status has to be guessed from its words. */
export function streamFault(error: unknown): ProviderFault {
  const body = typeof error === 'string' ? error : JSON.stringify(error);
  return new ProviderFault('sent an error in the stream', { status: statusOf(error, body), body });
}

export function failure(
  code: ModelFailureCode,
  message: string,
  retryable = RETRYABLE.has(code),
  values?: TextRef['values'],
): ModelFailure {
  const short = message.length <= 500 ? message : `${message.slice(0, 499)}…`;
  return { code, message: short, retryable, ...(values && { text: { key: code, values } }) };
}

const RETRYABLE: ReadonlySet<ModelFailureCode> = new Set<ModelFailureCode>([
  'model_unreachable',
  'model_rate_limited',
  'model_overloaded',
  'model_first_token_timeout',
  'model_idle_timeout',
  'model_stream_broken',
]);

function who({ name, origin }: Target): string {
  const capital = name.charAt(0).toUpperCase() + name.slice(1);
  return origin === '' ? capital : `${capital} (${origin})`;
}

function isOverflow({ status, body }: FaultFacts): boolean {
  if (status === 413) return true;
  return status !== 401 && status !== 403 && status !== 429 && saysOverflow(body ?? '');
}

function overflowWords(fault: ProviderFault, target: Target): string {
  return `The conversation is too long for the model. ${answerWords(fault, target)}`;
}

/** The provider's own words, or else its status. */
function detailOf({ message, facts }: ProviderFault, target: Target): string {
  return cleanMessage(facts.body ?? '', target.secrets).slice(0, 500) || message;
}

function answerWords({ message, facts }: ProviderFault, target: Target): string {
  const words = cleanMessage(facts.body ?? '', target.secrets);
  return words === '' ? `${who(target)} ${message}.` : `${who(target)} ${message}: ${words}`;
}

function codeOf({ status, body }: FaultFacts): ModelFailureCode {
  if (status === 200 && isHtml(body ?? '')) return 'model_not_found';
  if (status === undefined || status < 300) return 'model_stream_broken';
  return BY_STATUS.get(status) ?? (status >= 500 ? 'model_overloaded' : 'model_rejected');
}

const BY_STATUS: ReadonlyMap<number, ModelFailureCode> = new Map<number, ModelFailureCode>([
  [401, 'model_unauthorized'],
  [403, 'model_unauthorized'],
  [404, 'model_not_found'],
  [408, 'model_overloaded'],
  [425, 'model_overloaded'],
  [429, 'model_rate_limited'],
  // The request goes round in a circle.
  [508, 'model_rejected'],
]);

/** A 429 for want of money does not pass by waiting, and a provider may say outright not to come back. */
function isFinal({ headers, body }: FaultFacts): boolean {
  return (
    headers?.['x-should-retry'] === 'false' ||
    /"should_retry":\s*false|insufficient_quota|billing|payment required|credit balance/i.test(body ?? '')
  );
}

/** The most specific first. */
const STATUS_WORDS: readonly (readonly [RegExp, number])[] = [
  [/rate.?limit|too.?many.?requests|insufficient_quota/i, 429],
  [/overloaded|unavailable|capacity/i, 529],
  [/authentication|unauthori[sz]ed|invalid.?api.?key/i, 401],
  [/permission|forbidden/i, 403],
  [/not_found/i, 404],
  [/server.?error|internal.?error|api_error|timeout/i, 500],
  [/invalid_request|bad.?request|context_length|exceed_context|invalid_prompt/i, 400],
];

function statusOf(error: unknown, body: string): number {
  const { code, status } = (typeof error === 'object' && error !== null ? error : {}) as Record<string, unknown>;
  const number = [code, status].map(Number).find((value) => value >= 400 && value < 600);
  return number ?? STATUS_WORDS.find(([words]) => words.test(body))?.[1] ?? 0;
}

/** Whether these are the words of a provider that was sent more than the model can read. */
export function saysOverflow(words: string): boolean {
  return OVERFLOW.test(words) && !THROTTLED.test(words);
}

/** As seen in answers of the providers named; each is worded so that a mere mention of tokens does not match. */
const WORDINGS = [
  'context_length_exceeded', // OpenAI, Azure, Groq, Together
  'context_window_exceeded', // z.ai, LiteLLM
  'exceed_context_size_error', // llama.cpp
  'request_too_large', // Anthropic, 413
  'prompt is too long', // Anthropic
  'input is too long for requested model', // Bedrock
  'exceeds? the (?:model.s )?(?:maximum )?context (?:window|length|size)', // OpenAI Responses, Ollama
  'exceeds? the available context size', // llama.cpp
  'input (?:length|tokens?) .{0,60}exceeds? (?:the )?(?:context|maximum)', // Ollama, Anthropic with max_tokens, Gemini
  'exceed(?:s|ed)? (?:the )?(?:max(?:imum)? )?context l(?:ength|imit)', // Ollama, Anthropic
  'maximum (?:context|sequence|model) length (?:is|of|\\()', // OpenAI, vLLM, DeepSeek, OpenRouter, TGI
  'longer than the maximum model length', // vLLM
  'maximum prompt length is', // xAI
  'input token count .{0,40}exceeds the maximum', // Gemini
  'please reduce the length of the (?:messages|prompt|input)', // OpenAI, Groq, vLLM
  'greater than the context length', // LM Studio
  'context the overflows', // LM Studio, as it spells it
  'context length of only', // LM Studio
  'context (?:window|size|length) (?:has been )?exceed', // MiniMax, mlx, llama-cpp-python
  'exceed(?:s|ed|ing)? (?:the )?(?:model|context)(?:.s)? token limit', // Kimi, Fireworks
  'too large for model with \\d+ maximum context length', // Mistral
  'tokens? .{0,40}exceed.{0,40}context (?:window|length|size|limit)', // Cohere, SambaNova, Cerebras, llama-cpp-python
  'inputs?`? (?:tokens )?must have less than \\d+', // TGI
  'too many tokens: (?:size limit|total )', // Cohere
  'context overflow', // OpenRouter, proxies
  'failed to find (?:a )?(?:free space|memory slot)', // old llama.cpp
];

const OVERFLOW = new RegExp(WORDINGS.join('|'), 'i');

/** "Too many tokens" can also mean too many per minute, and then a shorter prompt is not the cure. */
const THROTTLED = /per (?:minute|day|hour|second)|\b[TR]P[MD]\b|please wait before trying|rate.?limit/i;

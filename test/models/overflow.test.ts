import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { saysOverflow } from '../../server/models/fault.ts';
import { ScriptedProvider } from '../harness/scripted-provider.ts';
import { collect, endOf, open, REMOTE } from './setup.ts';

const WORDINGS: readonly (readonly [string, number, string])[] = [
  [
    'OpenAI chat',
    400,
    '{"error":{"message":"This model\'s maximum context length is 128000 tokens. However, your messages resulted in 130021 tokens. Please reduce the length of the messages.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}',
  ],
  [
    'OpenAI Responses',
    400,
    '{"error":{"message":"Your input exceeds the context window of this model. Please adjust your input and try again.","type":"invalid_request_error","param":"input","code":"context_length_exceeded"}}',
  ],
  [
    'Anthropic',
    400,
    '{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}',
  ],
  [
    'Anthropic with max_tokens',
    400,
    '{"type":"error","error":{"type":"invalid_request_error","message":"input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000, decrease input length or `max_tokens` and try again"}}',
  ],
  [
    'Anthropic by size',
    413,
    '{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}',
  ],
  [
    'vLLM',
    400,
    '{"object":"error","message":"This model\'s maximum context length is 4096 tokens. However, you requested 5000 tokens in the messages, Please reduce the length of the messages.","type":"BadRequestError","code":400}',
  ],
  [
    'newer vLLM',
    400,
    '{"error":{"message":"The decoder prompt (length 5000) is longer than the maximum model length of 4096.","type":"BadRequestError","code":400}}',
  ],
  [
    'llama.cpp',
    400,
    '{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error","n_prompt_tokens":5000,"n_ctx":4096}}',
  ],
  [
    'llama.cpp as a server error',
    500,
    '{"error":{"message":"request (5000 tokens) exceeds the available context size (4096 tokens)"}}',
  ],
  [
    'Ollama',
    400,
    '{"error":{"message":"prompt too long; exceeded max context length by 1200 tokens","type":"invalid_request_error"}}',
  ],
  ['Ollama embeddings-style', 400, '{"error":"the input length exceeds the context length"}'],
  [
    'LM Studio',
    400,
    '{"error":"The number of tokens to keep from the initial prompt is greater than the context length. Try to load the model with a larger context length, or provide a shorter input"}',
  ],
  [
    'older LM Studio',
    400,
    '{"error":"Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens"}',
  ],
  [
    'OpenRouter',
    400,
    '{"error":{"message":"This endpoint\'s maximum context length is 32768 tokens. However, you requested about 40000 tokens (38000 of text input, 2000 in the output).","code":400}}',
  ],
  [
    'Mistral',
    400,
    '{"object":"error","message":"Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length","type":"invalid_request_error","code":"3051"}',
  ],
  [
    'Mistral as unprocessable',
    422,
    '{"detail":"Prompt contains 40000 tokens, too large for model with 32768 maximum context length"}',
  ],
  [
    'Groq',
    400,
    '{"error":{"message":"Please reduce the length of the messages or completion.","type":"invalid_request_error"}}',
  ],
  ['xAI', 400, '{"error":"This model\'s maximum prompt length is 131072 but the request contains 140000 tokens."}'],
  [
    'Gemini',
    400,
    '[{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}]',
  ],
  ['Bedrock', 400, '{"message":"Input is too long for requested model."}'],
  [
    'TGI',
    422,
    '{"error":"Input validation error: `inputs` must have less than 4095 tokens. Given: 5000","error_type":"validation"}',
  ],
  ['Kimi', 400, '{"error":{"message":"Invalid request: Your request exceeded model token limit: 131072"}}'],
  ['MiniMax', 400, '{"error":{"message":"invalid params, context window exceeds limit (2013)"}}'],
  ['Cohere', 400, '{"message":"too many tokens: total number of tokens (prompt and prediction) cannot exceed 4096"}'],
  ['llama-cpp-python', 400, '{"error":{"message":"Requested tokens (5000) exceed context window of 4096"}}'],
  ['a bare 413', 413, 'Payload Too Large'],
];

const OTHER_WORDS = [
  'Rate limit reached for gpt-5 on tokens per min (TPM): Limit 30000, Requested 31000. Please reduce the length of the messages.',
  'Too many tokens, please wait before trying again.',
  'max_tokens is too large: 200000. This model supports at most 128000 completion tokens',
  'Invalid value for temperature',
  'The context parameter is not supported',
];

describe('the words of a full context', () => {
  let provider: ScriptedProvider;
  beforeAll(async () => {
    provider = await ScriptedProvider.start();
  });
  afterAll(() => provider.close());

  test.each(WORDINGS)('%s is recognised in an answer of %i', async (_name, status, body) => {
    const headers = { 'content-type': 'application/json' };
    provider.script(() => ({ status, headers, body }));
    for (const remote of REMOTE) {
      const before = provider.requests.length;
      const end = endOf(await collect(open(remote, provider.url)));
      expect(end).toMatchObject({
        reason: 'context_overflow',
        error: { code: 'model_context_overflow', retryable: false },
      });
      expect(provider.requests.length).toBe(before + 1);
    }
  });

  test.each(REMOTE)('it is recognised inside a stream of $provider', async (remote) => {
    const message = 'prompt is too long: 210000 tokens > 200000 maximum';
    const error = { kind: 'error', message, type: 'invalid_request_error', code: 'context_length_exceeded' } as const;
    provider.script(() => ({ steps: [error] }));
    expect(endOf(await collect(open(remote, provider.url))).reason).toBe('context_overflow');
  });

  test.each(OTHER_WORDS)('"%s" is something else', (words) => {
    expect(saysOverflow(words)).toBe(false);
  });
});

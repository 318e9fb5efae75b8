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

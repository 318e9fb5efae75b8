/** A rough count that errs on the high side: about four ASCII characters a token, one for anything else. */
export function estimateTokens(text: string): number {
  let wide = 0;
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 127) wide += 1;
  return Math.ceil((text.length - wide) / 4 + wide);
}

const PER_MESSAGE = 4;
const counted = new WeakMap<object, number>();

/** The same for messages, each counted once however often it is read. */
export function estimateMessages(messages: readonly { readonly text?: string }[]): number {
  let sum = 0;
  for (const message of messages) {
    let tokens = counted.get(message);
    if (tokens === undefined) {
      tokens = estimateTokens(message.text ?? '') + PER_MESSAGE;
      counted.set(message, tokens);
    }
    sum += tokens;
  }
  return sum;
}

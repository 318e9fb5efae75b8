/** A rough count that errs on the high side: about four ASCII characters a token, one for anything else. */
export function estimateTokens(text: string): number {
  let wide = 0;
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 127) wide += 1;
  return Math.ceil((text.length - wide) / 4 + wide);
}

/** A message, as it is stored or as a model reads it. */
export interface Countable {
  readonly text?: string;
  readonly steps?: readonly { readonly calls: readonly CountableCall[] }[];
  readonly toolCalls?: readonly CountableCall[];
  readonly results?: readonly { readonly output: string }[];
  readonly files?: readonly { readonly kind: string; readonly bytes: number }[];
  readonly images?: readonly unknown[];
}

interface CountableCall {
  readonly name: string;
  readonly input: string;
  readonly result?: { readonly output: string } | null;
}

const PER_TOOL = 8;
const toolsCounted = new WeakMap<readonly CountableTool[], number>();

interface CountableTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: object;
}

/** The schemas of the tools that a request offers, counted once for each list of tools. */
export function estimateTools(tools: readonly CountableTool[]): number {
  const known = toolsCounted.get(tools);
  if (known !== undefined) return known;
  const tokens = tools.reduce(
    (sum, { name, description, inputSchema }) =>
      sum + PER_TOOL + estimateTokens(name) + estimateTokens(description) + estimateTokens(JSON.stringify(inputSchema)),
    0,
  );
  toolsCounted.set(tools, tokens);
  return tokens;
}

const PER_MESSAGE = 4;
/** What providers count for one of an ordinary size. */
const PER_IMAGE = 1500;
const counted = new WeakMap<Countable, number>();

/** The same for messages with what was done in them, each counted once however often it is read. */
export function estimateMessages(messages: readonly Countable[]): number {
  let sum = 0;
  for (const message of messages) {
    let tokens = counted.get(message);
    if (tokens === undefined) {
      tokens = estimateMessage(message);
      counted.set(message, tokens);
    }
    sum += tokens;
  }
  return sum;
}

function estimateMessage({ text = '', steps = [], toolCalls = [], results = [], files = [], images = [] }: Countable) {
  let tokens = PER_MESSAGE + estimateTokens(text) + images.length * PER_IMAGE;
  for (const { kind, bytes } of files) tokens += PER_MESSAGE + estimateFile(kind, bytes);
  for (const call of [...toolCalls, ...steps.flatMap((step) => step.calls)]) tokens += estimateCall(call);
  for (const { output } of results) tokens += PER_MESSAGE + estimateTokens(output);
  return tokens;
}

function estimateFile(kind: string, bytes: number): number {
  if (kind === 'text') return Math.ceil(bytes / 4);
  return kind === 'image' ? PER_IMAGE : 0;
}

function estimateCall({ name, input, result }: CountableCall): number {
  return 2 * PER_MESSAGE + estimateTokens(name) + estimateTokens(input) + estimateTokens(result?.output ?? '');
}

import type { Part } from '../../contract/messages.ts';

export interface Step {
  readonly text: string;
  readonly calls: readonly StepCall[];
}

export interface StepCall {
  readonly callId: string;
  readonly name: string;
  readonly input: string;
  readonly result: { readonly output: string; readonly isError: boolean } | null;
}

type Called = Extract<Part, { type: 'tool_call' }>;

/** What a speaker did in which request, from the parts of its message; undefined when it called nothing. */
export function stepsOf(parts: readonly Part[]): Step[] | undefined {
  if (!parts.some(isOwnCall)) return undefined;
  const results = resultsOf(parts);
  const steps: Step[] = [];
  let text = '';
  let calls: StepCall[] = [];
  let isAnswered = false;
  for (const part of parts) {
    if (calls.length > 0 && beginsStep(part, isAnswered)) {
      steps.push({ text, calls });
      [text, calls] = ['', []];
    }
    isAnswered = part.type === 'tool_result';
    if (part.type === 'text') text += part.text;
    if (isOwnCall(part)) calls.push(toCall(part, results));
  }
  if (text !== '' || calls.length > 0) steps.push({ text, calls });
  return steps;
}

/** Results stand after all calls of their step, so a call after a result is a later request's, said with words or not. */
function beginsStep(part: Part, isAnswered: boolean): boolean {
  return part.type === 'text' || part.type === 'reasoning' || (isAnswered && isOwnCall(part));
}

/** What went through a skill's command line, or was refused to a guest, the model never asked for as a call. */
function isOwnCall(part: Part): part is Called {
  return part.type === 'tool_call' && part.via === undefined;
}

type Results = ReadonlyMap<string, { output: string; isError: boolean }>;

function resultsOf(parts: readonly Part[]): Results {
  return new Map(
    parts.flatMap((part) =>
      part.type === 'tool_result' ? [[part.callId, { output: part.output, isError: part.isError }] as const] : [],
    ),
  );
}

function toCall({ callId, name, input }: Called, results: Results): StepCall {
  return { callId, name, input, result: results.get(callId) ?? null };
}

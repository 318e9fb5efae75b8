import type { RecordedRequest, ScriptedProvider } from '../harness/scripted-provider.ts';
import { type Script, type Step, text } from '../harness/scripted-script.ts';

/** What an agent answers to one request. */
export type ScriptedAnswer =
  | string
  | readonly Step[]
  | Script
  | ((request: RecordedRequest) => string | readonly Step[] | Script);

/** Agents that give their scripted answers one after the other; an agent with none left repeats what it was told. */
export class ScriptedAgents {
  readonly #answers = new Map<string, ScriptedAnswer[]>();

  constructor(provider: ScriptedProvider) {
    provider.script((request) => this.#next(request));
  }

  answers(agentId: string, ...answers: ScriptedAnswer[]): void {
    this.#answers.set(agentId, [...answers]);
  }

  /** Drops every answer that was not given yet. */
  clear(): void {
    this.#answers.clear();
  }

  #next(request: RecordedRequest): Script {
    const agentId = String(request.body.model).replace('model-of-', '');
    const answer = this.#answers.get(agentId)?.shift() ?? `${agentId} heard: ${request.said}`;
    const said = typeof answer === 'function' ? speak(answer, request) : answer;
    if (typeof said === 'string') return { steps: text(said) };
    return 'length' in said ? { steps: said } : (said as Script);
  }
}

/** A slip in a test's answer fails the turn with the words of the slip, instead of leaving the server without an answer. */
function speak(answer: Extract<ScriptedAnswer, (...given: never[]) => unknown>, request: RecordedRequest) {
  try {
    return answer(request);
  } catch (error) {
    return { status: 400, body: JSON.stringify({ error: { message: `the script failed: ${error}` } }) };
  }
}

/** A call of a tool; several of them in one answer are one step. */
export function call(name: string, input: object, id = `call_${name}_${JSON.stringify(input).length}`): Step {
  return { kind: 'toolCall', id, name, input: JSON.stringify(input) };
}

/** Asks another agent. */
export function ask(agentId: string, content: string, more: object = {}): Step {
  return call('agents_message', { agentId, content, ...more }, `ask_${agentId}_${content.length}`);
}

/** What came back from the calls since the last words of anybody but tools. */
export function resultsIn({ body }: RecordedRequest): string[] {
  const messages = body.messages as { role: string; content: string }[];
  const from = messages.findLastIndex(({ role }) => role !== 'tool') + 1;
  return messages.slice(from).map(({ content }) => content);
}

/** The same, as the objects that `agents_message` answers with. */
export function answersIn(request: RecordedRequest): AgentsAnswer[] {
  return resultsIn(request).map((result) => JSON.parse(result.replace(/^Error: /, '')));
}

// biome-ignore lint/suspicious/noExplicitAny: tests look at whatever came back
export type AgentsAnswer = Record<string, any>;

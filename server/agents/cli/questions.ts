import type { Question } from '../../../contract/actions.ts';
import type { TurnHost } from '../agent.ts';

const MOST_QUESTIONS = 20;
const MOST_OPTIONS = 50;
const MOST_CHARACTERS = 500;

/** One of the questions that a program asks at once. */
export interface AskedQuestion {
  readonly question: string;
  /** What can be chosen; none: the answer is text. */
  readonly options: readonly string[];
  /** Whether several can be chosen. */
  readonly multiple: boolean;
}

/** The program's questions become one, with a field for each. Gives what was said to each of them; null when the person declines. */
export async function askPerson(
  host: Pick<TurnHost, 'ask'>,
  id: string,
  asked: readonly AskedQuestion[],
): Promise<string[][] | null> {
  const shown = asked.slice(0, MOST_QUESTIONS);
  const answer = await host.ask(id, toQuestion(shown));
  if (!answer) return null;
  return shown.map((_, index) => {
    const value = answer.values?.[nameOf(index)] ?? answer.text ?? '';
    return Array.isArray(value) ? value.map(String) : [String(value)];
  });
}

function toQuestion(asked: readonly AskedQuestion[]): Question {
  const fields = asked.map(({ question, options, multiple }, index) => ({
    name: nameOf(index),
    label: question.slice(0, MOST_CHARACTERS),
    ...(options.length === 0 ? { type: 'text' as const } : choiceOf(options, multiple)),
    required: true,
  }));
  const question = asked.map((one) => one.question).join('\n') || 'A question';
  return { question: question.slice(0, 4000), fields };
}

function choiceOf(options: readonly string[], multiple: boolean) {
  const shown = options.slice(0, MOST_OPTIONS).map((option) => option.slice(0, MOST_CHARACTERS));
  return { type: multiple ? ('choices' as const) : ('choice' as const), options: shown };
}

function nameOf(index: number): string {
  return `answer${index + 1}`;
}

import { z } from 'zod';
import { Question, QuestionField } from '../../../../contract/actions.ts';
import { defineTool } from '../../define-tool.ts';
import { commandOf, type Plugin } from '../../plugin.ts';
import type { Answer } from '../../tool.ts';

const ID = 'ask-user';

/** Without what may hold itself, which not every provider can describe to its model. */
const Field = z
  .strictObject({
    ...QuestionField.shape,
    default: z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]).optional(),
  })
  .refine(({ type, options }) => !type.startsWith('choice') || (options?.length ?? 0) > 0, {
    error: 'a choice field needs options',
  });
const Fields = z
  .array(Field)
  .min(1)
  .max(20)
  .refine((fields) => new Set(fields.map(({ name }) => name)).size === fields.length, {
    error: 'field names must be unique',
  });

/** Not a skill: a command line that waits for a person would be given up long before they answer. */
export function askUserPlugin(): Plugin {
  return {
    id: ID,
    description: 'Ask the user a question and wait for the answer.',
    skillPath: null,
    command: commandOf(ID),
    tools: [askUser()],
  };
}

function askUser() {
  return defineTool(
    {
      name: 'ask_user',
      description:
        'Ask the user for something you need to know to continue, and wait for the answer. ' +
        'With fields the person fills in a form; without, they answer in their own words.',
      input: z.strictObject({ question: Question.shape.question, fields: Fields.optional() }),
      capabilities: ['user.ask'],
      risk: 'read',
      source: { kind: 'built-in', id: ID },
      resumable: true,
    },
    async (question, context) => {
      const answer = await context.ask(question);
      return answer === null ? 'The user declined to answer.' : JSON.stringify(shown(answer));
    },
  );
}

function shown({ text, values }: Answer): Answer {
  return { ...(text !== undefined && { text }), ...(values !== undefined && { values }) };
}

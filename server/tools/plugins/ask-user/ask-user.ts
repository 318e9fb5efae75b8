import { z } from 'zod';
import { Question } from '../../../../contract/actions.ts';
import { defineTool } from '../../define-tool.ts';
import { commandOf, type Plugin } from '../../plugin.ts';
import type { Answer } from '../../tool.ts';

const ID = 'ask-user';

/** Not a skill: a command line that waits for a person would be given up long before they answer. */
export function askUserPlugin(): Plugin {
  return {
    id: ID,
    description: 'Asks the person and waits for the answer.',
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
        'Ask the person something that you need to know to go on, and wait for the answer. ' +
        'With fields the person fills in a form; without, they answer in their own words.',
      input: z.strictObject(Question.shape),
      capabilities: ['user.ask'],
      risk: 'read',
      source: { kind: 'built-in', id: ID },
      resumable: true,
    },
    async (question, context) => {
      const answer = await context.ask(question);
      return answer === null ? 'The person declined to answer.' : JSON.stringify(shown(answer));
    },
  );
}

function shown({ text, values }: Answer): Answer {
  return { ...(text !== undefined && { text }), ...(values !== undefined && { values }) };
}

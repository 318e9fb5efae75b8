import type { Command } from 'commander';
import type { ParleyClient } from '../../client/parley-client.ts';
import type { Action, AnswerAction, QuestionField } from '../../contract/actions.ts';
import { type AnswerOptions, giveAnswer } from '../actions/answer-command.ts';
import { findAction, theOnly } from '../actions/find-action.ts';
import { readValue } from '../actions/read-values.ts';
import { findById } from '../actions/short-id.ts';
import { withClient } from '../connect.ts';
import { CommandFailure, EXIT_USAGE } from '../failure.ts';

interface Options extends AnswerOptions {
  field?: string[];
  decline?: boolean;
}

export function define(command: Command): void {
  command
    .description('Answer a question from an agent or a tool.')
    .argument('[id]', 'ID of the question, or its start or end; optional when only one is open')
    .argument('[text]', 'the answer, if the question has no fields')
    .option('--field <name=value>', 'the answer to one field; can be repeated', gather)
    .option('--decline', 'skip the question; the agent is notified')
    .option('--json', 'print the action as JSON')
    .option('--home <folder>', 'the data folder')
    .addHelpText('after', EXAMPLES)
    .action(answer);
}

function gather(field: string, before: string[] = []): string[] {
  return [...before, field];
}

async function answer(first: string | undefined, second: string | undefined, options: Options): Promise<void> {
  await withClient(options, async (connection) => {
    const { action, text } = await understand(connection.client, first, second);
    if (action.kind !== 'question')
      throw new CommandFailure(
        `That is not a question (${action.kind}). To see how to answer it: parley actions`,
        EXIT_USAGE,
      );
    await giveAnswer(connection, action, toAnswer(action, text, options), options);
  });
}

interface Understood {
  action: Action;
  text: string | undefined;
}

/** One word alone is the id of a question if there is such a one, and else the answer to the only one. */
async function understand(client: ParleyClient, first?: string, second?: string): Promise<Understood> {
  if (second !== undefined) return { action: await findAction(client, first), text: second };
  const { actions } = await client.call('listActions', { query: { limit: 500 } });
  const named = first === undefined ? undefined : findById(actions, first, 'actions');
  return named ? { action: named, text: undefined } : { action: theOnly(actions, ['question']), text: first };
}

function toAnswer({ question }: Action, text: string | undefined, options: Options): AnswerAction {
  if (options.decline) return { decision: 'decline' };
  const fields = question?.fields ?? [];
  if (options.field) return { decision: 'answer', values: readFields(fields, options.field) };
  if (text !== undefined && fields.length === 0) return { decision: 'answer', text };
  throw new CommandFailure(
    fields.length === 0 ? 'Give an answer, or use --decline.' : askForFields(fields),
    EXIT_USAGE,
  );
}

function askForFields(fields: readonly QuestionField[]): string {
  return `Answer each with --field: ${fields.map(({ name }) => `${name}=…`).join(' ')}`;
}

function readFields(fields: readonly QuestionField[], given: readonly string[]): AnswerAction['values'] {
  return Object.fromEntries(given.map((assignment) => readField(fields, assignment)));
}

function readField(fields: readonly QuestionField[], assignment: string) {
  const at = assignment.indexOf('=');
  const name = assignment.slice(0, Math.max(at, 0));
  const field = fields.find((one) => one.name === name);
  if (!field) throw new CommandFailure(`${assignment} names no field. ${askForFields(fields)}`, EXIT_USAGE);
  const read = readValue(field, assignment.slice(at + 1));
  if ('complaint' in read) throw new CommandFailure(`${name}: ${read.complaint}`, EXIT_USAGE);
  return [name, read.value] as const;
}

const EXAMPLES = `
Examples:
  $ parley answer 5d20e711 "the blue one"
  $ parley answer "the blue one"                       the only open question
  $ parley answer 5d20e711 --field size=3 --field colours=blue,green
  $ parley answer 5d20e711 --decline`;

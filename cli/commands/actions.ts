import type { Command } from 'commander';
import type { ParleyClient } from '../../client/parley-client.ts';
import type { Action, ActionState } from '../../contract/actions.ts';
import { describeAction } from '../actions/describe.ts';
import { howToAnswer } from '../actions/how-to-answer.ts';
import { shortId } from '../actions/short-id.ts';
import { ago } from '../ago.ts';
import { type HomeOption, withClient } from '../connect.ts';
import { requireSession } from '../find-session.ts';
import { look, print, printJson } from '../output.ts';
import { printTable } from '../table.ts';

interface ActionsOptions extends HomeOption {
  all?: boolean;
  session?: string;
  json?: boolean;
}

export function define(command: Command): void {
  command
    .description('Show what is waiting for you: approvals, questions, reached limits and failed turns.')
    .option('--all', 'include settled actions')
    .option('-s, --session <name>', 'only actions of this session and of work done for it')
    .option('--json', 'as JSON')
    .option('--home <folder>', 'the data folder')
    .addHelpText('after', EXAMPLES)
    .action(actions);
}

async function actions(options: ActionsOptions): Promise<void> {
  await withClient(options, async ({ client }) => {
    const session = options.session === undefined ? undefined : (await requireSession(client, options.session)).id;
    const found = await list(client, options.all ? STATES : ['open'], session);
    if (options.json) return printJson(found);
    if (found.length === 0) return print(options.all ? 'No actions yet.' : 'Nothing needs you.');
    for (const action of found.filter(isOpen)) printOpen(action, options);
    const settled = found.filter((action) => !isOpen(action));
    if (settled.length > 0) printTable(COLUMNS, settled.map(toRow));
  });
}

const STATES: readonly ActionState[] = ['open', 'answered', 'withdrawn', 'expired'];

/** The server lists one state at a time. */
async function list(client: ParleyClient, states: readonly ActionState[], session?: string): Promise<Action[]> {
  const lists = await Promise.all(
    states.map((state) => client.call('listActions', { query: { state, session, limit: 500 } })),
  );
  return lists.flatMap(({ actions }) => actions).sort((a, b) => a.createdAt.localeCompare(b.createdAt));
}

function isOpen({ state }: Action): boolean {
  return state === 'open';
}

function printOpen(action: Action, homeOption: HomeOption): void {
  const [title, ...details] = describeAction(action);
  print(`${title}  ${look().dim(`${shortId(action.id)} · ${action.kind} · ${ago(action.createdAt)}`)}`);
  for (const line of [...details, ...howToAnswer(action, homeOption).map((line) => look().dim(line)), '']) print(line);
}

const COLUMNS = [
  { title: 'Id' },
  { title: 'Kind' },
  { title: 'Agent', shrinks: true },
  { title: 'What', shrinks: true },
  { title: 'Became' },
  { title: 'Asked' },
];

function toRow({ id, kind, agentId, title, state, answer, createdAt }: Action): string[] {
  return [shortId(id), kind, agentId, title, answer?.decision ?? state, ago(createdAt)];
}

const EXAMPLES = `
Examples:
  $ parley actions
  $ parley actions -s trip
  $ parley approve 9f3c21ab             once; --session or --always for longer
  $ parley deny 9f3c21ab --reason "not today"
  $ parley answer 5d20e711 "the blue one"`;

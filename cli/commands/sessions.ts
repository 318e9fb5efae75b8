import { type Command, Option } from 'commander';
import type { ParleyClient } from '../../client/parley-client.ts';
import type { Session, SessionListQuery } from '../../contract/sessions.ts';
import { ago } from '../ago.ts';
import { type HomeOption, withClient } from '../connect.ts';
import { whyCut } from '../cut-answer.ts';
import { requireSession } from '../find-session.ts';
import { markShown } from '../mark-shown.ts';
import { defineNew } from '../new-session.ts';
import { look, print, printJson } from '../output.ts';
import { changeSessions } from '../session-changes.ts';
import { Speakers } from '../speakers.ts';
import { type Column, printTable } from '../table.ts';
import { safeLine } from '../terminal-text.ts';
import { formatMessage } from '../transcript.ts';

interface ListOptions extends HomeOption {
  agent?: string;
  type?: string;
  status?: string;
  folder?: string;
  archived?: boolean;
  pinned?: boolean;
  limit: string;
  json?: boolean;
}

export function define(command: Command): void {
  command.description('Manage sessions. Each session is one conversation.').addHelpText('after', EXAMPLES);
  command
    .command('list', { isDefault: true })
    .description('list sessions, most recently active first')
    .option('-a, --agent <agent>', 'only sessions with this agent')
    .addOption(new Option('--type <type>', 'only this type').choices(['conversation', 'tool-execution']))
    .option('--status <status>', 'idle, active, working, waiting, error, paused or completed')
    .option('--folder <name>', 'only in this folder')
    .option('--archived', 'archived sessions instead')
    .option('--pinned', 'only pinned sessions')
    .option('-n, --limit <number>', 'maximum number of sessions', '20')
    .option('--json', 'as JSON')
    .option('--home <folder>', 'the data folder')
    .action(list);
  command
    .command('show <session>')
    .description('show the transcript of a session')
    .option('-n, --limit <number>', 'number of latest messages', '50')
    .option('--ids', 'show message and turn IDs')
    .option('--json', 'as JSON')
    .option('--home <folder>', 'the data folder')
    .action(show);
  defineNew(command);
  changeSessions(command);
}

async function list(options: ListOptions): Promise<void> {
  await withClient(options, async ({ client }) => {
    const { sessions, next } = await client.call('listSessions', { query: toQuery(options) });
    if (options.json) return printJson(sessions);
    if (sessions.length === 0) return print(EMPTY);
    printTable(columnsFor(sessions), sessions.map(toRow));
    if (next) print(look().dim(`More sessions: use -n ${Number(options.limit) * 2}.`));
  });
}

/** What waits for a person and what went wrong stand out. */
function columnsFor(sessions: readonly Session[]): Column[] {
  const paint = (cell: string, row: number) => {
    if (sessions[row]?.status === 'waiting') return look().amber(cell);
    return sessions[row]?.status === 'error' ? look().red(cell) : cell;
  };
  return [
    { title: 'Session', shrinks: true },
    { title: 'Agent', shrinks: true },
    { title: 'Status', paint },
    { title: 'Messages' },
    { title: 'Active' },
    { title: 'Id' },
  ];
}

function toRow(session: Session): string[] {
  const marks = `${session.pinnedAt ? '* ' : ''}${session.type === 'tool-execution' ? '⚙ ' : ''}`;
  return [
    `${marks}${session.title}`,
    session.agentId ?? '-',
    session.queuedCount > 0 ? `${session.status} +${session.queuedCount}` : session.status,
    `${session.messageCount}`,
    ago(session.lastActivityAt),
    session.id,
  ];
}

function toQuery({ agent, type, status, folder, archived, pinned, limit }: ListOptions): Partial<SessionListQuery> {
  return {
    agent,
    type: type as SessionListQuery['type'],
    status: status as SessionListQuery['status'],
    folder,
    limit: Number(limit),
    ...(archived && { archived }),
    ...(pinned && { pinned }),
  };
}

interface ShowOptions extends HomeOption {
  limit: string;
  ids?: boolean;
  json?: boolean;
}

async function show(name: string, options: ShowOptions): Promise<void> {
  await withClient(options, async ({ client }) => {
    const session = await requireSession(client, name);
    const { messages, before } = await client.call('listMessages', {
      sessionId: session.id,
      query: { limit: Number(options.limit) },
    });
    if (options.json) return printJson({ session, messages });
    const speakers = new Speakers();
    await speakers.learn(client);
    print(look().bold(safeLine(session.title)));
    print(look().dim(`${about(session).join(' · ')}\n`));
    if (before !== null) print(look().dim('… for earlier messages, use -n'));
    if (messages.length === 0) print('No messages yet.');
    const cut = await cutAnswers(client, session);
    for (const message of messages) {
      if (options.ids) print(look().dim(`message ${message.id}${message.turnId ? ` turn ${message.turnId}` : ''}`));
      const why = cut.get(message.id);
      print(`${formatMessage(message, speakers)}${why ? `\n${look().amber(`(cut off: ${why})`)}` : ''}\n`);
    }
    await markShown(client, session);
  });
}

/** Why an answer is cut off, by the id of the answer. */
async function cutAnswers(client: ParleyClient, { id }: Session): Promise<Map<string, string>> {
  const { turns } = await client.call('listTurns', { sessionId: id, query: { limit: 200 } });
  return new Map(
    turns.flatMap((turn) => {
      const why = whyCut(turn);
      return why !== null && turn.answerId !== null ? [[turn.answerId, why] as const] : [];
    }),
  );
}

function about({ id, agentId, status, type, mode, parentSessionId }: Session): string[] {
  return [
    id,
    agentId ?? 'no agent yet',
    status,
    ...(type === 'tool-execution' ? ['tool execution'] : []),
    ...(parentSessionId ? [`for session ${parentSessionId}`] : []),
    ...(mode === 'read-only' ? ['read-only'] : []),
  ];
}

const EMPTY = 'No sessions yet. Start one with: parley chat -a wisp/concierge -m "hello"';

const EXAMPLES = `
Refer to a session by its name (chat -s NAME) or its ID. In the list, * marks pinned sessions, ⚙ marks tool executions,
and \`waiting\` means it is waiting for you: see \`parley actions\`.

Examples:
  $ parley sessions
  $ parley sessions show trip
  $ parley sessions new --template standup
  $ parley sessions rename 01987f3e-... trip
  $ parley sessions fork trip --name trip-b
  $ parley sessions attributes trip city=Lisbon budget=1200`;

import type { Command } from 'commander';
import type { ParleyClient } from '../../client/parley-client.ts';
import type { Action } from '../../contract/actions.ts';
import type { StreamFrame } from '../../contract/events.ts';
import type { Session } from '../../contract/sessions.ts';
import { describeAction } from '../actions/describe.ts';
import { howToAnswer } from '../actions/how-to-answer.ts';
import { type Connection, withClient } from '../connect.ts';
import { CommandFailure } from '../failure.ts';
import { requireSession } from '../find-session.ts';
import { look, note, print } from '../output.ts';
import { Speakers } from '../speakers.ts';
import { safeJson, safeLine } from '../terminal-text.ts';
import { formatMessage } from '../transcript.ts';
import { TurnPrinter } from '../turn-printer.ts';

interface TailOptions {
  lines: string;
  json?: boolean;
  home?: string;
}

export function define(command: Command): void {
  command
    .description('Follow messages live: one session word by word, or all sessions message by message.')
    .argument('[session]', 'the session, by name or ID; default: all sessions')
    .option('-n, --lines <number>', 'with a session: number of latest messages to show first', '10')
    .option('--json', 'print every event as one line of JSON')
    .option('--home <folder>', 'the data folder')
    .addHelpText('after', EXAMPLES)
    .action(tail);
}

async function tail(name: string | undefined, options: TailOptions): Promise<void> {
  await withClient(options, async (connection) => {
    if (connection.inProcess)
      throw new CommandFailure('No server is running, so there is nothing to follow. Start one with: parley serve');
    const session = name === undefined ? null : await requireSession(connection.client, name);
    await follow(connection, session, options);
  });
}

async function follow({ client }: Connection, session: Session | null, options: TailOptions): Promise<void> {
  const speakers = new Speakers();
  await speakers.learn(client);
  const showNewest = () => (session ? showLast(client, session, Number(options.lines), speakers) : undefined);
  if (!options.json) await showNewest();
  const show = options.json ? (frame: StreamFrame) => print(safeJson(frame)) : shower(session, speakers);
  const deltas = options.json === true || session !== null;
  const frames = session
    ? client.sessionEvents(session.id, { after: session.lastSeq, deltas, onConnection: sayWhenLost() })
    : client.events({ deltas, onConnection: sayWhenLost() });
  for await (const frame of frames) {
    show(frame);
    if (frame.type !== 'reset') continue;
    note(session ? MISSED_HERE : MISSED);
    if (!options.json) await showNewest();
  }
}

const MISSED = 'Some messages may be missing here: the server no longer has the events since the connection was lost.';
const MISSED_HERE = `${MISSED} The latest messages:`;

async function showLast(client: ParleyClient, session: Session, count: number, speakers: Speakers): Promise<void> {
  if (count < 1) return;
  const { messages } = await client.call('listMessages', { sessionId: session.id, query: { limit: count } });
  for (const message of messages.filter(({ seq }) => seq !== null)) print(formatMessage(message, speakers));
}

function shower(session: Session | null, speakers: Speakers): (frame: StreamFrame) => void {
  if (!session) return (frame) => showOfMany(frame, speakers);
  const printer = new TurnPrinter(speakers);
  return (frame) => {
    // What one agent gives another to do, the printer tells.
    if (frame.type === 'turn.started' && frame.message.role !== 'delegation')
      printer.interject(formatMessage(frame.message, speakers));
    printer.show(frame);
    if (frame.type === 'action.opened') for (const line of wanted(frame.action)) printer.interject(line);
    if (frame.type === 'turn.settled') showFailure(frame);
  };
}

function wanted(action: Action): string[] {
  return [...describeAction(action), ...howToAnswer(action)];
}

/** Many may speak at once: whole messages only, each with the session it belongs to. */
function showOfMany(frame: StreamFrame, speakers: Speakers): void {
  switch (frame.type) {
    case 'turn.started':
    case 'message.created':
      print(`${look().dim(`[${frame.sessionId}]`)} ${formatMessage(frame.message, speakers)}`);
      break;
    case 'session.created':
      print(
        look().dim(`[${frame.sessionId}] new session${frame.session.name ? ` "${safeLine(frame.session.name)}"` : ''}`),
      );
      break;
    case 'action.opened':
      print(`${look().dim(`[${frame.sessionId}]`)} ${wanted(frame.action).join('\n')}`);
      break;
    case 'session.deleted':
      print(look().dim(`[${frame.sessionId}] deleted`));
      break;
    case 'turn.settled':
      showFailure(frame);
  }
}

function showFailure({ turn, sessionId }: Extract<StreamFrame, { type: 'turn.settled' }>): void {
  if (turn.state === 'complete') return;
  print(
    look().red(
      `[${sessionId}] ${safeLine(turn.agentId)}: ${turn.state}${turn.error ? `: ${safeLine(turn.error.message)}` : ''}`,
    ),
  );
}

function sayWhenLost(): (state: 'open' | 'lost') => void {
  let lost = false;
  return (state) => {
    if (state === 'lost' && !lost) note('Connection lost, reconnecting…');
    if (state === 'open' && lost) note('Reconnected.');
    lost = state === 'lost';
  };
}

const EXAMPLES = `
Examples:
  $ parley tail                 all messages in all sessions
  $ parley tail trip            one session, word by word
  $ parley tail --json | jq .   every event, for programs`;

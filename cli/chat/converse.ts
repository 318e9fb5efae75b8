import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ParleyClient } from '../../client/parley-client.ts';
import type { StreamFrame } from '../../contract/events.ts';
import { ActionDesk } from '../actions/desk.ts';
import type { ChatOptions as Question } from '../commands/chat.ts';
import type { Connection } from '../connect.ts';
import { CommandFailure, EXIT_USAGE } from '../failure.ts';
import { openSession } from '../find-session.ts';
import { explainEnd } from '../follow/turn-outcome.ts';
import { look } from '../output.ts';
import { Speakers } from '../speakers.ts';
import { safeLine } from '../terminal-text.ts';
import { formatMessage } from '../transcript.ts';
import { TurnPrinter } from '../turn-printer.ts';
import { chooseWorkspace, workspaceIn } from '../workspace-option.ts';
import { Conversation } from './conversation.ts';
import { OpenQuestion } from './open-question.ts';
import { executeSlash, isSlashCommand, SLASH_COMMANDS } from './slash-commands.ts';
import { Terminal } from './terminal.ts';

const TWICE_MS = 2000;
const SHOWN_AT_FIRST = 4;

/** A session that is there already, and what is to be finished on the line. */
export interface Begun {
  sessionId: string;
  draft: string;
}

/** Stays and talks until the person leaves. */
export async function converse(connection: Connection, question: Question, begun?: Begun): Promise<void> {
  const { client, home } = connection;
  if (question.guest) throw new CommandFailure('--guest needs -m. Here, write @AGENT and your message.', EXIT_USAGE);
  const sessionId = begun?.sessionId ?? (await enterSession(client, question));
  await connection.resume?.(sessionId);
  const conversation = await Conversation.enter(client, sessionId);
  const { agents } = await client.call('listAgents');
  const speakers = new Speakers();
  await speakers.learn(client);
  const screen = new Screen(conversation, speakers, { home, question, agents: agents.map(({ agentId }) => agentId) });
  await screen.stay(begun?.draft ?? '');
}

async function enterSession(client: ParleyClient, question: Question): Promise<string> {
  const { new: afresh, session: name, agent } = question;
  const body = { ...(agent && { agentId: agent }), ...workspaceIn(question) };
  if (afresh) return (await client.call('createSession', { body })).id;
  const session = await chooseWorkspace(client, await openSession(client, name, agent), question);
  if (agent && session.agentId !== agent)
    await client.call('patchSession', { sessionId: session.id, body: { agentId: agent } });
  return session.id;
}

interface ChatDeps {
  home: string;
  question: Question;
  agents: readonly string[];
}

/** What the person sees and types. */
class Screen {
  readonly #conversation: Conversation;
  readonly #speakers: Speakers;
  readonly #printer: TurnPrinter;
  readonly #terminal: Terminal;
  readonly #around: ChatDeps;
  readonly #question: OpenQuestion;
  readonly #desk: ActionDesk;
  readonly #left = Promise.withResolvers<void>();
  /** What came while the person was being asked. */
  #held: StreamFrame[] = [];
  #lastInterrupt = 0;
  #nameIsDue: boolean;

  constructor(conversation: Conversation, speakers: Speakers, around: ChatDeps) {
    this.#conversation = conversation;
    this.#speakers = speakers;
    this.#around = around;
    this.#nameIsDue = around.question.new === true;
    this.#printer = new TurnPrinter(speakers);
    this.#terminal = new Terminal(readHistory(around.home), (line) => this.#complete(line), {
      line: (text) => void this.#hear(text),
      interrupt: () => this.#interrupt(),
      close: () => this.#left.resolve(),
    });
    this.#question = new OpenQuestion(
      this.#terminal,
      (line) => this.#say(line),
      () => this.#settle(),
    );
    this.#desk = new ActionDesk(conversation.client, this.#question, () => this.#release());
  }

  async stay(draft: string): Promise<void> {
    this.#greet();
    this.#terminal.replaceDraft(draft);
    const following = this.#conversation.follow({
      frame: (frame) => this.#show(frame),
      connection: (state) => this.#showConnection(state),
    });
    for (const action of this.#conversation.actions) this.#desk.open(action);
    this.#settle();
    try {
      await Promise.race([this.#left.promise, following]);
    } finally {
      this.#conversation.leave();
      this.#terminal.close();
      // It ends with the leaving; had it failed before, the race has said so.
      await following.catch(() => undefined);
    }
    this.#terminal.write('\n');
  }

  #greet(): void {
    const { question } = this.#around;
    this.#say(look().dim(`Session ${safeLine(question.session)}. Type /help for commands, /quit to leave.`));
    const messages = this.#conversation.messages;
    if (messages.length > SHOWN_AT_FIRST) this.#say(look().dim(`… ${messages.length - SHOWN_AT_FIRST} earlier`));
    for (const message of messages.slice(-SHOWN_AT_FIRST)) this.#say(formatMessage(message, this.#speakers));
  }

  async #hear(line: string): Promise<void> {
    const text = line.trim();
    this.#terminal.hideLine();
    if (this.#question.prompt !== null && !isSlashCommand(text)) {
      this.#question.answer(line);
      return;
    }
    try {
      if (text !== '') await this.#act(text);
    } catch (error) {
      this.#say(look().red(safeLine(error instanceof Error ? error.message : String(error))));
    }
    this.#settle();
  }

  async #act(text: string): Promise<void> {
    addToHistory(this.#around.home, text);
    const context = {
      conversation: this.#conversation,
      print: (line: string) => this.#say(line),
      leave: () => this.#leave(),
      askAgain: () => this.#desk.openAgain(this.#conversation.actions),
    };
    if (await executeSlash(text, context)) return;
    const content = text.startsWith('//') ? text.slice(1) : text;
    await assertKnown(this.#conversation, content);
    const waits = await this.#conversation.say({ content });
    if (waits) this.#say(look().dim(`(queued: ${safeLine(content)})`));
  }

  /** While the person is asked, what is said waits. */
  #show(frame: StreamFrame): void {
    if (frame.type === 'action.settled') this.#desk.settle(frame.action);
    if (this.#desk.isAsking) this.#held.push(frame);
    else this.#showNow(frame);
    if (frame.type === 'action.opened') this.#desk.open(frame.action);
  }

  #release(): void {
    const held = this.#held;
    this.#held = [];
    for (const frame of held) this.#showNow(frame);
    this.#settle();
  }

  #showNow(frame: StreamFrame): void {
    if (frame.type === 'turn.started') this.#showQuestion(frame);
    if (isShown(frame)) this.#terminal.hideLine();
    this.#printer.show(frame);
    if (frame.type === 'action.opened') this.#printer.makeRoom();
    if (frame.type === 'turn.settled') void this.#showEnd(frame);
    if (frame.type === 'reset') this.#say('Some messages may be missing here. Read the session with: parley tail');
    if (frame.type === 'session.deleted') this.#say('This session was deleted.');
    if (this.#conversation.isDeleted) this.#leave();
    else this.#settle();
  }

  #showConnection(state: 'open' | 'lost'): void {
    if (state === 'open') return;
    this.#say(look().dim('(connection lost, reconnecting…)'));
    this.#settle();
  }

  /** Another client may send messages here too, and a queued message is shown again when its turn starts. */
  #showQuestion({ message, turn }: Extract<StreamFrame, { type: 'turn.started' }>): void {
    if (turn.retryOf !== null || message.role === 'delegation' || !this.#conversation.isNews(message)) return;
    this.#say(formatMessage(message, this.#speakers));
  }

  async #showEnd({ turn }: Extract<StreamFrame, { type: 'turn.settled' }>): Promise<void> {
    if (this.#conversation.isNested(turn)) return;
    if (turn.state !== 'complete') return this.#say(look().red(safeLine(explainEnd(turn, '/retry'))));
    if (!this.#nameIsDue) return;
    this.#nameIsDue = false;
    await this.#conversation.client.call('renameSession', {
      sessionId: this.#conversation.sessionId,
      body: { name: this.#around.question.session, replace: true },
    });
  }

  #interrupt(): void {
    const again = Date.now() - this.#lastInterrupt < TWICE_MS;
    this.#lastInterrupt = Date.now();
    if (again) this.#leave();
    else if (this.#conversation.isBusy) void this.#stop();
    else this.#explainInterrupt();
  }

  #explainInterrupt(): void {
    if (this.#terminal.draft !== '') this.#terminal.discardDraft();
    else this.#say(look().dim('(press Ctrl-C again to leave)'));
    this.#settle();
  }

  async #stop(): Promise<void> {
    this.#say(look().dim('(stopping; press Ctrl-C again to leave)'));
    await this.#conversation.stop().catch((error: Error) => this.#say(look().red(safeLine(error.message))));
  }

  #leave(): void {
    this.#left.resolve();
  }

  #say(line: string): void {
    this.#terminal.hideLine();
    this.#printer.interject(line);
  }

  /** The input line comes back when no agent speaks, or when a question is asked. */
  #settle(): void {
    const { prompt } = this.#question;
    if (prompt !== null) this.#terminal.ask(look().bold(prompt));
    if (this.#desk.isAsking || this.#conversation.isBusy || this.#printer.isSpeaking) return;
    this.#terminal.ask(`${look().bold('you')} ${look().dim(`→ ${safeLine(this.#conversation.primary ?? '?')}`)} › `);
  }

  #complete(line: string): [string[], string] {
    const offered = [...Object.keys(SLASH_COMMANDS), ...this.#around.agents.map((agent) => `@${agent}`)];
    const named = /^\/switch\s+(\S*)$/.exec(line)?.[1];
    if (named !== undefined) return [this.#around.agents.filter((agent) => agent.startsWith(named)), named];
    return [offered.filter((word) => line !== '' && word.startsWith(line)), line];
  }
}

/** A name that no agent has stays text. At the beginning of a message it is most likely a mistake. */
async function assertKnown({ client, sessionId }: Conversation, content: string): Promise<void> {
  if (!content.startsWith('@')) return;
  const [name] = (await client.call('previewMentions', { sessionId, body: { content } })).unknown;
  if (name === undefined) return;
  const instead = 'To send it as text, start with a different word.';
  throw new CommandFailure(`No agent is called ${name}. Type /agents for a list. ${instead}`);
}

function isShown({ type }: StreamFrame): boolean {
  return (
    ['delta', 'turn.partial', 'turn.retrying', 'message.created'].includes(type) || /^(tool|delegation)\./.test(type)
  );
}

const MOST_LINES = 1000;

/** What was typed before, newest first as readline wants it. Long files are cut when they are read. */
function readHistory(home: string): string[] {
  try {
    const lines = readFileSync(fileIn(home), 'utf8').split('\n').filter(Boolean);
    if (lines.length > 2 * MOST_LINES) rewrite(home, lines.slice(-MOST_LINES));
    return lines.slice(-MOST_LINES).reverse();
  } catch {
    return [];
  }
}

/** Only its owner can read it: it holds what was said. */
function addToHistory(home: string, line: string): void {
  try {
    appendFileSync(fileIn(home), `${line}\n`, { mode: 0o600 });
  } catch {
    // A history that cannot be kept is no reason to stop talking.
  }
}

function rewrite(home: string, lines: readonly string[]): void {
  writeFileSync(fileIn(home), `${lines.join('\n')}\n`, { mode: 0o600 });
}

function fileIn(home: string): string {
  return path.join(home, 'history');
}

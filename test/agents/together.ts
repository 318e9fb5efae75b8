import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable, Writable } from 'node:stream';
import {
  type ClientConnection,
  client,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Action, ActionList, AnswerAction } from '../../contract/actions.ts';
import type { RemoteCard } from '../../contract/agents.ts';
import type { Message } from '../../contract/messages.ts';
import type { Session } from '../../contract/sessions.ts';
import type { Turn } from '../../contract/turns.ts';
import { A2aPeer } from '../harness/a2a/peer.ts';
import { scriptedAgent } from '../harness/agents.ts';
import { checkDatabase } from '../harness/check-database.ts';
import { Parley, until } from '../harness/parley.ts';
import { PROGRAM } from '../harness/program.ts';
import { ScriptedProvider } from '../harness/scripted-provider.ts';
import { ScriptedAgents } from '../suites/scripted-agents.ts';
import type { ProgramUnderTest } from './cli/bench.ts';

const PATIENCE_MS = 60_000;

type Open = () => Promise<ProgramUnderTest>;

/** One session with agents of every kind: `ada` is a model, `claude` and `codex` are programs, `far` is on another server. */
export function describeTogether(name: string, openClaude: Open, openCodex: Open): void {
  describe(`one session with a model, ${name} and a remote agent`, () => {
    let meeting: Meeting;
    beforeAll(async () => {
      meeting = await Meeting.open(await openClaude(), await openCodex());
    }, 60_000);
    afterAll(() => meeting?.close(), 30_000);

    it('the model is the primary agent, and Claude is brought in as a guest who knows what was said', async () => {
      meeting.scripted.answers('ada', 'Ada keeps the word.');
      await meeting.say('My word is heron.');
      const { turn, text } = await meeting.say('RECALL', { guest: 'claude' });
      expect(turn).toMatchObject({ agentId: 'claude', guest: true, state: 'complete' });
      expect(text).toMatch(/User: My word is heron\.\s+ada: Ada keeps the word\./);
      expect((await meeting.parley.session(meeting.id)).agentId).toBe('ada');
    });

    it('Codex is given work, asks before it acts, and what it changed is there to see', async () => {
      const file = path.join(meeting.workspace, 'note.txt');
      meeting.scripted.answers('ada', `<delegate to="codex">WRITE ${file}</delegate>`, 'Codex has written it.');
      const turn = await meeting.send('Have the note written.');
      const action = await meeting.action();
      expect(action).toMatchObject({ kind: 'approval', agentId: 'codex' });
      expect(action.approval!.input).toContain('note.txt');
      expect(existsSync(file)).toBe(false);
      await meeting.answer(action, { decision: 'once' });
      expect((await meeting.settled(turn.id)).turn.state).toBe('complete');
      expect(existsSync(file)).toBe(true);
      const written = (await meeting.messages()).find(({ agent }) => agent === 'codex')!;
      const diff = written.parts.find(({ type }) => type === 'diff');
      expect(diff).toMatchObject({ files: [{ path: 'note.txt', kind: 'added', added: 1 }] });
      expect((await meeting.messages()).at(-1)!.text).toBe('Codex has written it.');
    });

    it('a remote agent answers, and opens a session for its workflow', async () => {
      const script = 'begin work-1 say Dug.\\nflow Digging|Digs a hole|work-1\\nsay Far has dispatched it.';
      meeting.scripted.answers(
        'ada',
        `<delegate to="far">${script.replaceAll('\\n', '\n')}</delegate>`,
        'Far is at it.',
      );
      expect((await meeting.say('Have a hole dug.')).turn.state).toBe('complete');
      expect(await meeting.parley.transcript(meeting.id)).toContainEqual(
        expect.stringMatching(/^far: [\s\S]*Far has dispatched it\./),
      );
      const { sessions } = await meeting.parley.ok<{ sessions: Session[] }>(
        'GET',
        `/api/sessions?parent=${meeting.id}`,
      );
      expect(sessions).toMatchObject([{ title: 'Digging', type: 'tool-execution' }]);
      expect(meeting.peer.messages).toHaveLength(1);
      expect(meeting.peer.messages[0]!.parts.join('\n')).toContain('claude: I remember');
    });

    it('the same session is open in an editor', async () => {
      await using editor = await Editor.open(meeting.parley.home);
      const shown = await editor.load(meeting.id);
      for (const words of ['heron', 'I remember', 'Codex has written it.', 'Far has dispatched it.'])
        expect(shown).toContain(words);
      meeting.scripted.answers('ada', 'Ada greets the editor.');
      expect(await editor.prompt(meeting.id, 'Is this the same session?')).toContain('Ada greets the editor.');
      expect((await meeting.messages()).at(-1)!.text).toBe('Ada greets the editor.');
    });

    it('each goes on where it was after the server was killed, knowing what the others said', async () => {
      const [before] = meeting.peer.messages;
      await meeting.parley.kill();
      await meeting.parley.restart();

      const claude = await meeting.say('RECALL once more', { guest: 'claude' });
      expect(claude.answer!.parts.some(({ type }) => type === 'notice')).toBe(false);
      // What it was told before the restart it remembers; since then it was told only what was new to it.
      expect(claude.text.match(/^User: My word is heron\.$/gm)).toHaveLength(1);
      for (const words of ['ada: Codex has written it.', 'codex: ', 'Far has dispatched it.', 'Ada greets the editor.'])
        expect(claude.text).toContain(words);

      meeting.scripted.answers('ada', '<delegate to="codex">RECALL as well</delegate>', 'That was Codex.');
      await meeting.say('What does Codex know?');
      const codex = (await meeting.messages()).findLast(({ agent }) => agent === 'codex')!;
      expect(codex.parts.some(({ type }) => type === 'notice')).toBe(false);
      expect(codex.text.match(/WRITE /g)!.length).toBeGreaterThan(0);
      expect(codex.text).toContain('Far has dispatched it.');

      meeting.scripted.answers('ada', '<delegate to="far">say Far is back.</delegate>', 'That was Far.');
      await meeting.say('And the remote agent?');
      const after = meeting.peer.messages.at(-1)!;
      expect(after.contextId).toBe([...meeting.peer.tasks.values()].find(({ id }) => id !== 'work-1')!.contextId);
      expect([meeting.peer.messages.length, before!.contextId]).toEqual([2, '']);
      expect(after.parts.join('\n')).toContain('ada: That was Codex.');
      expect(after.parts.join('\n')).not.toMatch(/^User: My word is heron\.$/m);

      let heard = '';
      meeting.scripted.answers('ada', ({ body }) => {
        heard = JSON.stringify(body.messages);
        return 'Ada has heard everything.';
      });
      await meeting.say('And you?');
      for (const agent of ['claude', 'codex', 'far']) expect(heard).toContain(`<from agent=\\"${agent}\\">`);
      await using editor = await Editor.open(meeting.parley.home);
      expect(await editor.load(meeting.id)).toContain('Ada has heard everything.');
      expect(checkDatabase(meeting.parley.home)).toEqual([]);
    });
  });
}

/** The server, the agents' other halves, and the session. */
class Meeting {
  readonly parley: Parley;
  readonly peer: A2aPeer;
  readonly scripted: ScriptedAgents;
  readonly workspace: string;
  id = '';
  readonly #provider: ScriptedProvider;
  readonly #programs: readonly ProgramUnderTest[];

  private constructor(
    parley: Parley,
    peer: A2aPeer,
    provider: ScriptedProvider,
    programs: readonly ProgramUnderTest[],
    workspace: string,
  ) {
    this.parley = parley;
    this.peer = peer;
    this.#provider = provider;
    this.scripted = new ScriptedAgents(provider);
    this.#programs = programs;
    this.workspace = workspace;
  }

  static async open(claude: ProgramUnderTest, codex: ProgramUnderTest): Promise<Meeting> {
    const provider = await ScriptedProvider.start();
    const peer = await A2aPeer.start();
    const workspace = realpathSync(mkdtempSync(path.join(tmpdir(), 'parley-together-')));
    const ada = scriptedAgent(provider.url, 'ada', { agentAllowlist: ['codex', 'far'], delegation: { tags: true } });
    const program = { description: 'A program.', agentAllowlist: [], toolAllowlist: [] };
    const agents = [
      ada,
      { agentId: 'claude', ...program, ...claude.definition },
      { agentId: 'codex', ...program, ...codex.definition },
      { agentId: 'far', type: 'a2a', a2a: { url: peer.url } },
    ];
    const tools = {
      fetch: { allowHosts: [peer.host] },
      files: { workspaces: { claude: workspace, codex: workspace } },
    };
    const parley = await Parley.start({ config: { agents, tools }, env: { ...claude.env, ...codex.env } });
    const meeting = new Meeting(parley, peer, provider, [claude, codex], workspace);
    const { hash } = await parley.ok<RemoteCard>('GET', '/api/agent-cards/far');
    await parley.ok('POST', '/api/agent-cards/far', { hash });
    meeting.id = (await parley.createSession({ agentId: 'ada' })).id;
    return meeting;
  }

  async close(): Promise<void> {
    await this.parley.stop();
    await this.parley.close();
    await Promise.all([this.#provider.close(), this.peer.close(), ...this.#programs.map((each) => each.close())]);
    rmSync(this.workspace, { recursive: true, force: true });
  }

  async send(content: string, more: { guest?: string } = {}): Promise<Turn> {
    return (await this.parley.send(this.id, { content, ...more })).turn;
  }

  async say(...message: Parameters<Meeting['send']>): Promise<{ turn: Turn; answer: Message | null; text: string }> {
    const { turn, answer } = await this.settled((await this.send(...message)).id);
    return { turn, answer, text: answer?.text ?? '' };
  }

  settled(turnId: string): Promise<{ turn: Turn; answer: Message | null }> {
    return until(
      () => this.parley.ok<{ turn: Turn; answer: Message | null }>('GET', `/api/turns/${turnId}`),
      ({ turn }) => turn.endedAt !== null,
      PATIENCE_MS,
    );
  }

  async action(): Promise<Action> {
    const { actions } = await until(
      () => this.parley.ok<ActionList>('GET', `/api/actions?session=${this.id}`),
      (list) => list.actions.length > 0,
      PATIENCE_MS,
    );
    return actions[0]!;
  }

  answer({ id }: Action, body: AnswerAction): Promise<Action> {
    return this.parley.ok('POST', `/api/actions/${id}/answer`, body);
  }

  async messages(): Promise<Message[]> {
    return (await this.parley.messages(this.id)).filter(({ role }) => role === 'assistant');
  }
}

/** An editor on the official SDK, in front of `parley acp`. */
class Editor implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #connection: ClientConnection;
  #updates: SessionUpdate[] = [];

  private constructor(home: string) {
    const { PATH = '', HOME = '' } = process.env;
    this.#child = spawn(process.execPath, [PROGRAM, 'acp', '--home', home], { env: { PATH, HOME } });
    this.#connection = client({ name: 'editor' })
      .onNotification(methods.client.session.update, ({ params }) => void this.#updates.push(params.update))
      .connect(
        ndJsonStream(
          Writable.toWeb(this.#child.stdin!) as WritableStream<Uint8Array>,
          Readable.toWeb(this.#child.stdout!) as ReadableStream<Uint8Array>,
        ),
      );
  }

  static async open(home: string): Promise<Editor> {
    const editor = new Editor(home);
    const params = { protocolVersion: PROTOCOL_VERSION, clientCapabilities: {} };
    await editor.#connection.agent.request(methods.agent.initialize, params);
    return editor;
  }

  async load(sessionId: string): Promise<string> {
    this.#updates = [];
    const params = { sessionId, cwd: tmpdir(), mcpServers: [] };
    await this.#connection.agent.request(methods.agent.session.load, params);
    return this.#shown();
  }

  async prompt(sessionId: string, text: string): Promise<string> {
    this.#updates = [];
    const params = { sessionId, prompt: [{ type: 'text' as const, text }] };
    await this.#connection.agent.request(methods.agent.session.prompt, params);
    return this.#shown();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#connection.close();
    this.#child.kill();
    if (this.#child.exitCode === null && this.#child.signalCode === null) await once(this.#child, 'exit');
  }

  #shown(): string {
    const contents = this.#updates.flatMap((update) => ('content' in update ? [update.content] : [])).flat();
    return contents.map((content) => (content && 'text' in content ? content.text : '')).join('');
  }
}

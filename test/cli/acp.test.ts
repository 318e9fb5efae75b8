import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable, Writable } from 'node:stream';
import {
  type ClientConnection,
  type CreateElicitationResponse,
  client,
  type InitializeResponse,
  type ListSessionsResponse,
  type LoadSessionResponse,
  methods,
  type NewSessionResponse,
  ndJsonStream,
  PROTOCOL_VERSION,
  type PromptResponse,
  type RequestPermissionRequest,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { scriptedAgent } from '../harness/agents.ts';
import { Parley, until } from '../harness/parley.ts';
import { PROGRAM } from '../harness/program.ts';
import { ScriptedProvider } from '../harness/scripted-provider.ts';
import { text } from '../harness/scripted-script.ts';
import { call, ScriptedAgents } from '../suites/scripted-agents.ts';

let provider: ScriptedProvider;
let parley: Parley;
let editor: Editor;

beforeAll(async () => {
  provider = await ScriptedProvider.start();
  const tools = { toolAllowlist: ['todo_*', 'ask_user'], approvals: { todo_add: 'ask', ask_user: 'allow' } };
  const ada = scriptedAgent(provider.url, 'ada', {
    displayName: 'Ada',
    agentAllowlist: ['eve'],
    delegation: { tags: true },
    ...tools,
  });
  const eve = scriptedAgent(provider.url, 'eve', { displayName: 'Eve' });
  parley = await Parley.start({ config: { agents: [ada, eve] } });
});
afterAll(async () => {
  await parley.close();
  await provider.close();
});
afterEach(() => editor?.close());

/** An editor on the official SDK, talking to `parley acp`. */
class Editor {
  readonly #child: ChildProcess;
  readonly #connection: ClientConnection;
  readonly updates: SessionUpdate[] = [];
  readonly asked: RequestPermissionRequest[] = [];
  /** Which option it chooses; undefined: it never answers. */
  choose: string | undefined = 'once';
  elicited: CreateElicitationResponse = { action: 'accept', content: { answer: 'Blue' } };
  stderr = '';

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.stderr!.on('data', (chunk) => {
      this.stderr += chunk;
    });
    const { session, elicitation } = methods.client;
    this.#connection = client({ name: 'editor' })
      .onNotification(session.update, ({ params }) => void this.updates.push(params.update))
      .onRequest(session.requestPermission, ({ params }) => {
        this.asked.push(params);
        if (this.choose === undefined) return new Promise<never>(() => {});
        return { outcome: { outcome: 'selected' as const, optionId: this.choose } };
      })
      .onRequest(elicitation.create, () => this.elicited)
      .connect(
        ndJsonStream(
          Writable.toWeb(child.stdin!) as WritableStream<Uint8Array>,
          Readable.toWeb(child.stdout!) as ReadableStream<Uint8Array>,
        ),
      );
  }

  static async open(clientCapabilities: object = {}, home = parley.home): Promise<Editor> {
    const { PATH = '', HOME = '' } = process.env;
    const child = spawn(process.execPath, [PROGRAM, 'acp', '--home', home], { env: { PATH, HOME } });
    editor = new Editor(child);
    const about = await editor.ask<InitializeResponse>(methods.agent.initialize, {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities,
    });
    expect(about).toMatchObject({ protocolVersion: PROTOCOL_VERSION, agentInfo: { name: 'parley' } });
    return editor;
  }

  ask<T>(method: string, params: object): Promise<T> {
    return this.#connection.agent.request<T>(method, params);
  }

  notify(method: string, params: object): Promise<void> {
    return this.#connection.agent.notify(method, params);
  }

  begin(cwd = '/tmp'): Promise<NewSessionResponse> {
    return this.ask(methods.agent.session.new, { cwd, mcpServers: [] });
  }

  prompt(sessionId: string, ...blocks: (string | object)[]): Promise<PromptResponse> {
    const prompt = blocks.map((block) => (typeof block === 'string' ? { type: 'text', text: block } : block));
    return this.ask(methods.agent.session.prompt, { sessionId, prompt });
  }

  /** What it was told, joined. */
  said(kind: SessionUpdate['sessionUpdate'] = 'agent_message_chunk'): string {
    const chunks = this.updates.flatMap((update) =>
      update.sessionUpdate === kind && 'content' in update && !Array.isArray(update.content) ? [update.content] : [],
    );
    return chunks.map((content) => (content?.type === 'text' ? content.text : '')).join('');
  }

  /** Closes the input, as an editor does, and gives the exit code. */
  async close(): Promise<number | null> {
    if (this.#child.exitCode === null) {
      this.#child.stdin!.end();
      await once(this.#child, 'exit');
    }
    return this.#child.exitCode;
  }
}

describe('an editor over ACP', () => {
  it('begins a session, is told the words as they come, and ends cleanly', async () => {
    new ScriptedAgents(provider).answers('ada', [...text('One. '), { kind: 'wait', ms: 300 }, ...text('Two.')]);
    await Editor.open();
    const { sessionId, modes } = await editor.begin();
    expect(modes).toMatchObject({
      currentModeId: 'ada',
      availableModes: [
        { id: 'ada', name: 'Ada' },
        { id: 'eve', name: 'Eve' },
      ],
    });
    expect(await editor.prompt(sessionId, 'Hello.')).toMatchObject({ stopReason: 'end_turn' });
    expect(editor.said()).toBe('One. Two.');
    expect(editor.updates.filter((update) => update.sessionUpdate === 'agent_message_chunk').length).toBeGreaterThan(1);
    expect(editor.updates).toContainEqual(expect.objectContaining({ sessionUpdate: 'available_commands_update' }));
    expect((await parley.messages(sessionId)).map(({ text }) => text)).toEqual(['Hello.', 'One. Two.']);
    expect(await editor.close()).toBe(0);
  });

  it('names another agent that speaks: a guest, a delegate, and the one that goes on after it', async () => {
    const scripted = new ScriptedAgents(provider);
    scripted.answers('ada', 'Ask Eve. <delegate to="eve">Well?</delegate>', 'Thanks.');
    scripted.answers('eve', 'I am Eve.', 'As a guest.');
    await Editor.open();
    const { sessionId } = await editor.begin();
    await editor.prompt(sessionId, 'Go.');
    expect(editor.said().replaceAll(/\s+/g, ' ')).toBe('Ask Eve. **Eve:** I am Eve. **Ada:** Thanks.');
    editor.updates.length = 0;
    await editor.prompt(sessionId, '/ask eve And you?');
    expect(editor.said()).toBe('**Eve:** As a guest.');
    expect((await parley.session(sessionId)).agentId).toBe('ada');
  });

  it('switches the agent that answers as the mode', async () => {
    new ScriptedAgents(provider).answers('eve', 'It is me.');
    await Editor.open();
    const { sessionId } = await editor.begin();
    await editor.ask(methods.agent.session.setMode, { sessionId, modeId: 'eve' });
    await editor.prompt(sessionId, 'Who?');
    expect([editor.said(), (await parley.session(sessionId)).agentId]).toEqual(['It is me.', 'eve']);
    await expect(editor.ask(methods.agent.session.setMode, { sessionId, modeId: 'no-one' })).rejects.toMatchObject({
      code: -32002,
    });
  });

  it.each([
    ['once', 'completed'],
    ['deny', 'failed'],
  ])('is asked for permission, and %s counts', async (choice, status) => {
    new ScriptedAgents(provider).answers('ada', [call('todo_add', { title: 'Milk' })], 'Done.');
    await Editor.open();
    editor.choose = choice;
    const { sessionId } = await editor.begin();
    await editor.prompt(sessionId, 'Milk!');
    expect(editor.asked).toMatchObject([
      { toolCall: { title: 'ada wants to use todo_add', rawInput: { title: 'Milk' } }, options: expect.any(Array) },
    ]);
    const calls = editor.updates.filter(({ sessionUpdate }) => sessionUpdate.startsWith('tool_call'));
    expect(calls[0]).toMatchObject({ sessionUpdate: 'tool_call', title: 'todo_add' });
    expect(calls.at(-1)).toMatchObject({ sessionUpdate: 'tool_call_update', status });
    expect(editor.said()).toBe('Done.');
  });

  it('goes on when the person answers elsewhere', async () => {
    new ScriptedAgents(provider).answers('ada', [call('todo_add', { title: 'Tea' })], 'Done.');
    await Editor.open();
    editor.choose = undefined;
    const { sessionId } = await editor.begin();
    const prompted = editor.prompt(sessionId, 'Tea!');
    await until(
      async () => editor.asked,
      (asked) => asked.length === 1,
    );
    const { actions } = await parley.ok<{ actions: { id: string }[] }>('GET', `/api/actions?session=${sessionId}`);
    await parley.ok('POST', `/api/actions/${actions[0]!.id}/answer`, { decision: 'once' });
    expect(await prompted).toMatchObject({ stopReason: 'end_turn' });
  });

  it('asks questions as a form, or as text that the next prompt answers', async () => {
    const scripted = new ScriptedAgents(provider);
    const question = call('ask_user', { question: 'Which colour?' });
    scripted.answers('ada', [question], 'Good.');
    await Editor.open({ elicitation: { form: {} } });
    const first = await editor.begin();
    await editor.prompt(first.sessionId, 'Paint.');
    expect(editor.said()).toBe('Good.');
    await editor.close();
    scripted.answers('ada', [question], 'Fine.');
    await Editor.open();
    const { sessionId } = await editor.begin();
    await editor.prompt(sessionId, 'Paint.');
    expect(editor.said()).toContain('Which colour?');
    await editor.prompt(sessionId, 'Red');
    expect(editor.said()).toContain('Fine.');
    expect(JSON.stringify(provider.requests.at(-1)!.body)).toContain('Red');
  });

  it('cancels what runs', async () => {
    new ScriptedAgents(provider).answers('ada', [...text('Long'), { kind: 'stall', pingMs: 100 }]);
    await Editor.open();
    const { sessionId } = await editor.begin();
    const prompted = editor.prompt(sessionId, 'Go.');
    await until(
      async () => editor.said(),
      (said) => said !== '',
    );
    await editor.notify(methods.agent.session.cancel, { sessionId });
    expect(await prompted).toMatchObject({ stopReason: 'cancelled' });
  });

  it('attaches what it embeds, and passes on links', async () => {
    new ScriptedAgents(provider).answers('ada', 'Seen.');
    await Editor.open();
    const { sessionId } = await editor.begin();
    await editor.prompt(
      sessionId,
      'Look: ',
      {
        type: 'resource',
        resource: { uri: 'file:///src/a%20b.ts', text: 'const a = 1;', mimeType: 'text/x-typescript' },
      },
      { type: 'image', mimeType: 'image/png', data: Buffer.from('png').toString('base64') },
      { type: 'resource_link', name: 'c.ts', uri: 'file:///src/c.ts' },
    );
    const [message] = await parley.messages(sessionId);
    const files = message!.parts.flatMap((part) => (part.type === 'file' ? [part.name] : []));
    expect([message!.text, files]).toEqual(['Look: [c.ts](file:///src/c.ts)', ['a b.ts', 'image.png']]);
  });

  it('lists, loads, resumes and deletes sessions', async () => {
    const scripted = new ScriptedAgents(provider);
    scripted.answers('ada', 'First answer.');
    scripted.answers('eve', 'Eve was here.');
    await Editor.open();
    const { sessionId } = await editor.begin('/tmp');
    await editor.prompt(sessionId, 'First question.');
    await editor.prompt(sessionId, '/ask eve Hm?');
    await editor.close();
    await Editor.open();
    const { sessions } = await editor.ask<ListSessionsResponse>(methods.agent.session.list, { cwd: '/tmp' });
    expect(sessions).toContainEqual(expect.objectContaining({ sessionId, cwd: '/tmp', title: 'First question.' }));
    const place = { sessionId, cwd: '/tmp', mcpServers: [] };
    const { modes } = await editor.ask<LoadSessionResponse>(methods.agent.session.load, place);
    expect(modes?.currentModeId).toBe('ada');
    expect(editor.said('user_message_chunk')).toBe('First question.Hm?');
    expect(editor.said().trim()).toBe('First answer.\n\n**Eve:** Eve was here.');
    await editor.ask(methods.agent.session.resume, place);
    await editor.ask(methods.agent.session.delete, { sessionId });
    expect((await parley.request('GET', `/api/sessions/${sessionId}`)).status).toBe(404);
    await expect(editor.ask(methods.agent.session.load, place)).rejects.toMatchObject({ code: -32002 });
  });

  it('is told in words when a reply fails', async () => {
    new ScriptedAgents(provider).answers('ada', [...text('Well'), { kind: 'error', message: 'no' }]);
    await Editor.open();
    const { sessionId } = await editor.begin();
    await expect(editor.prompt(sessionId, 'Go.')).rejects.toMatchObject({ code: -32603, message: expect.any(String) });
    expect(editor.said()).toBe('Well');
  });

  it('works where no server runs: it says so, and other windows and commands share it until it is closed', async () => {
    const home = mkdtempSync(path.join(tmpdir(), 'parley-acp-'));
    const config = { agents: [scriptedAgent(provider.url, 'ada', { displayName: 'Ada' })] };
    writeFileSync(path.join(home, 'parley.json'), JSON.stringify(config));
    new ScriptedAgents(provider).answers('ada', 'From here.', [...text('Half'), { kind: 'stall', pingMs: 100 }]);
    const first = await Editor.open({}, home);
    const { sessionId } = await first.begin();
    expect(await first.prompt(sessionId, 'Hello.')).toMatchObject({ stopReason: 'end_turn' });
    expect(first.said()).toBe('From here.');
    expect(first.stderr).toMatch(/No server was running\. This one serves .* until the editor closes it/);
    const second = await Editor.open({}, home);
    const { sessions } = await second.ask<ListSessionsResponse>(methods.agent.session.list, {});
    expect(sessions.map((session) => session.sessionId)).toEqual([sessionId]);
    expect(second.stderr).toBe('');
    const { sessionId: other } = await second.begin();
    const answered = second.prompt(other, 'Go on for ever.');
    await until(
      async () => second.said(),
      (said) => said === 'Half',
    );
    await second.notify(methods.agent.session.cancel, { sessionId: other });
    expect(await answered).toMatchObject({ stopReason: 'cancelled' });
    expect(await second.close()).toBe(0);
    expect(await first.close()).toBe(0);
    expect(existsSync(path.join(home, 'server.json'))).toBe(false);
    rmSync(home, { recursive: true });
  });
});

import { Readable, Writable } from 'node:stream';
import { agent, type ClientCapabilities, methods, ndJsonStream, PROTOCOL_VERSION } from '@agentclientprotocol/sdk';
import type { ParleyClient } from '../../client/parley-client.ts';
import { packageVersion } from '../version.ts';
import { EditorSessions } from './editor-sessions.ts';
import { inWords } from './request-failure.ts';

/** Speaks the Agent Client Protocol with the editor that started this program, until the editor closes the input. */
export async function serveEditor(client: ParleyClient, agentId: string | undefined): Promise<void> {
  const sessions = new EditorSessions(client, agentId);
  let capabilities: ClientCapabilities = {};
  const { session: on } = methods.agent;
  const app = agent({ name: 'parley' })
    .onRequest(methods.agent.initialize, ({ params }) => {
      capabilities = params.clientCapabilities ?? {};
      return ABOUT;
    })
    .onRequest(methods.agent.authenticate, () => ({}))
    .onRequest(on.new, ({ params, client: editor }) =>
      inWords(async () => {
        const session = await sessions.create(params.cwd);
        return { sessionId: session.id, modes: await sessions.open(session, editor, capabilities) };
      }),
    )
    .onRequest(on.load, ({ params, client: editor }) =>
      inWords(async () => {
        const session = await sessions.find(params.sessionId);
        const modes = await sessions.open(session, editor, capabilities);
        await sessions.require(session.id).replay();
        return { modes };
      }),
    )
    .onRequest(on.resume, ({ params, client: editor }) =>
      inWords(async () => ({
        modes: await sessions.open(await sessions.find(params.sessionId), editor, capabilities),
      })),
    )
    .onRequest(on.list, ({ params }) => inWords(() => sessions.list(params)))
    .onRequest(on.delete, ({ params }) => inWords(() => sessions.delete(params.sessionId)))
    .onRequest(on.close, ({ params }) => inWords(async () => sessions.close(params.sessionId)))
    .onRequest(on.setMode, ({ params }) => inWords(() => sessions.require(params.sessionId).switchAgent(params.modeId)))
    .onRequest(on.prompt, ({ params }) => inWords(() => sessions.require(params.sessionId).prompt(params.prompt)))
    .onNotification(on.cancel, ({ params }) => sessions.require(params.sessionId).cancel());
  const { closed } = app.connect(ndJsonStream(output(), input()));
  await closed;
  sessions.closeAll();
}

const ABOUT = {
  protocolVersion: PROTOCOL_VERSION,
  agentInfo: { name: 'parley', title: 'Parley', version: packageVersion() },
  authMethods: [],
  agentCapabilities: {
    loadSession: true,
    promptCapabilities: { image: true, embeddedContext: true },
    mcpCapabilities: {},
    sessionCapabilities: { list: {}, resume: {}, delete: {}, close: {} },
  },
};

function output(): WritableStream<Uint8Array> {
  return Writable.toWeb(process.stdout) as WritableStream<Uint8Array>;
}

function input(): ReadableStream<Uint8Array> {
  return Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>;
}

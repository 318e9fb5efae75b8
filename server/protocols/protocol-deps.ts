import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { publicOrigin } from '../../contract/config.ts';
import { AppError } from '../../contract/errors.ts';
import { say } from '../../contract/texts.ts';
import { agentView } from '../config/views.ts';
import { assertUncompressed, readJsonBody } from '../http/body.ts';
import { receiptOf, turnFrames } from '../http/follow-turns.ts';
import type { Ctx } from '../http/mount.ts';
import type { RouteDeps } from '../http/route-deps.ts';
import { answerAction } from '../http/routes/actions.ts';
import { readLineTo, readMessages } from '../sessions/transcript.ts';
import { deleteMessage } from '../turns/delete-message.ts';
import { listTurnsOfAgent, readTurn, waitUntilSettled } from '../turns/read.ts';
import { deleteSession } from '../turns/remove-sessions.ts';
import { Pushes } from './a2a/pushes.ts';
import type { ReadDeps } from './a2a/read-task.ts';
import type { ProtocolDeps } from './protocol.ts';

export type VerbDeps = Pick<
  RouteDeps,
  | 'version'
  | 'sessions'
  | 'turns'
  | 'log'
  | 'actions'
  | 'streams'
  | 'configuration'
  | 'search'
  | 'tooling'
  | 'files'
  | 'agents'
>;

/** The verbs of the routes, as other protocols call them. */
export function protocolDeps(deps: VerbDeps): ProtocolDeps {
  const verbs = turnVerbs(deps);
  return { ...verbs, pushes: openPushes(deps, verbs) };
}

function openPushes({ log, configuration, turns }: VerbDeps, verbs: ReadDeps): Pushes {
  const allowedHosts = () => configuration.current.tools.fetch.allowHosts;
  return new Pushes({ ...verbs, db: log.db, bus: log.bus, allowedHosts, report: turns.deps.report });
}

function turnVerbs(deps: VerbDeps): Omit<ProtocolDeps, 'pushes'> {
  const { version, sessions, turns, log, actions, streams, configuration, search, files, agents } = deps;
  return {
    version,
    publicOrigin: () => publicOrigin(configuration.current.server),
    ...exposed(deps),
    sessions,
    deleteMessage: (owner, messageId) => deleteMessage(turns.deps, owner, messageId),
    deleteSession: async (owner, sessionId) => void (await deleteSession(turns.deps, owner, sessionId)),
    importSession: async (owner, session) => {
      const { importSession } = await import('../sessions/import.ts');
      return importSession(log, owner, session, { limits: configuration.current.limits });
    },
    exportSession: async function* (owner, sessionId, format) {
      const { exportMarkdown, exportSessionText } = await import('../sessions/export.ts');
      if (format === 'json') yield* exportSessionText(log.db, owner, sessionId);
      else yield* exportMarkdown(log.db, owner, sessionId, (agentId) => agents.find(agentId)?.displayName);
    },
    uploadFile: async (owner, about, content) => (await files.upload(owner, about, Readable.from([content]))).id,
    uploadFileOnce: async (owner, id, about, content) =>
      (await files.uploadOnce(owner, id, about, Readable.from([content]))).id,
    readFile: (owner, fileId) => readFile(files, owner, fileId),
    readMessages: (owner, sessionId, page) => readMessages(log.db, owner, sessionId, page),
    readLineTo: (owner, messageId) => readLineTo(log.db, owner, messageId),
    search: (owner, query) => search.search(owner, query),
    accept: (message) => turns.accept(message),
    send: (message) => turnFrames(deps, message, () => turns.accept(message)),
    follow: async function* (owner, turnId) {
      const receipt = await receiptOf(deps, owner, turnId);
      yield* turnFrames(deps, { owner, sessionId: receipt.turn.sessionId }, async () => receipt);
    },
    readTurn: (owner, turnId) => readTurn(log, owner, turnId),
    partialOf: (owner, { id, sessionId }) =>
      turns.partials(owner, (wanted) => wanted === sessionId).find(({ turnId }) => turnId === id),
    listTurnsOfAgent: (owner, query) => listTurnsOfAgent(log, owner, query),
    assertHops: (hops) => assertHops(hops, configuration.current.delegation.depth),
    waitForTurn: (turnId, timeoutMs) => waitUntilSettled(log, turnId, timeoutMs),
    cancelTurn: (owner, turnId) => turns.cancel(owner, turnId),
    listActions: async (owner, query) => (await actions.list(owner, query)).actions,
    answerAction: (owner, actionId, answer, requestId) => answerAction(deps, owner, actionId, answer, requestId),
    readJson: (c) => readJson(c, () => configuration.current.limits),
    openStream: (c, onClose) => streams.open(c.env.outgoing as ServerResponse, onClose),
  };
}

type Exposed = Pick<ProtocolDeps, 'exposedAgents' | 'exposedAgent' | 'exposedTurn' | 'exposedSession'>;

function exposed({ configuration, log, sessions }: VerbDeps): Exposed {
  const agents = () => [...configuration.current.agents.values()].filter(({ apiExposed }) => apiExposed);
  const isExposed = (agentId: string) => configuration.current.agents.get(agentId)?.apiExposed === true;
  return {
    exposedTurn: async (owner, turnId) => {
      const read = await readTurn(log, owner, turnId);
      if (isExposed(read.turn.agentId)) return read;
      throw new AppError('turn_not_found', say('turn_not_found', { id: turnId }));
    },
    exposedSession: async (owner, sessionId) => {
      const session = await sessions.get(owner, sessionId);
      const { agentId } = session;
      if (agentId === null || isExposed(agentId)) return session;
      throw new AppError('agent_not_exposed', say('agent_not_exposed', { id: agentId }));
    },
    exposedAgents: () => agents().map((agent) => agentView(agent, configuration.current)),
    exposedAgent: (agentId) => {
      const agent = agents().find((each) => each.agentId === agentId);
      if (agent) return agentView(agent, configuration.current);
      throw new AppError('agent_not_found', say('agent_not_found', { id: agentId }));
    },
  };
}

async function readFile(files: VerbDeps['files'], owner: string, fileId: string): Promise<Buffer | null> {
  try {
    const { handle } = await files.open(owner, fileId);
    await using _ = handle;
    return await handle.readFile();
  } catch (error) {
    if (error instanceof AppError && error.code === 'file_not_found') return null;
    throw error;
  }
}

function assertHops(hops: number, limit: number): void {
  if (hops > limit) throw new AppError('too_many_hops', say('too_many_hops', { hops }));
}

async function readJson(c: Ctx, limits: () => Parameters<typeof readJsonBody>[1]): Promise<unknown> {
  assertUncompressed(c.env.incoming.headers);
  return readJsonBody(c.env.incoming as IncomingMessage, limits());
}

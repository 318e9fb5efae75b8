import { AppError } from '../../../contract/errors.ts';
import type { SessionProgram } from '../../../contract/program-sessions.ts';
import type { SessionTeam } from '../../../contract/teams.ts';
import { programAgents } from '../../agents/programs/program-agents.ts';
import { chooseHead } from '../../sessions/branches.ts';
import { forkSession } from '../../sessions/fork.ts';
import { readMessage, readMessages } from '../../sessions/transcript.ts';
import { describeStorageFailure } from '../../storage/failure.ts';
import { deleteMessage } from '../../turns/delete-message.ts';
import { clearSession, deleteSession, renameSession } from '../../turns/remove-sessions.ts';
import type { Router } from '../mount.ts';
import type { RouteDeps } from '../route-deps.ts';

type SessionDeps = Pick<
  RouteDeps,
  'agents' | 'audit' | 'configuration' | 'env' | 'log' | 'search' | 'sessions' | 'teams' | 'templates' | 'turns'
>;

export function sessionRoutes(router: Router, deps: SessionDeps): void {
  const { sessions, templates, teams, log, agents, turns } = deps;
  router.on('listSessions', ({ owner, query }) => sessions.list(owner, query));
  router.on('createSession', async ({ owner, body: { templateId, teamId, ...given } }) => {
    if (given.agentId) agents.require(given.agentId);
    const withTeam = teamId === undefined ? given : await teams.apply(owner, teamId, given);
    return sessions.create(
      owner,
      templateId === undefined ? withTeam : await templates.apply(owner, templateId, withTeam),
    );
  });
  router.on('resolveSession', ({ owner, body }) => {
    agents.require(body.agentId);
    return sessions.resolve(owner, body.session, body.agentId);
  });
  router.on('getSession', ({ owner, params }) => sessions.get(owner, params.sessionId));
  router.on('patchSession', ({ owner, params, body }) => {
    if (body.agentId) agents.require(body.agentId);
    return sessions.patch(owner, params.sessionId, body);
  });
  router.on('renameSession', ({ owner, params, body }) => renameSession(turns.deps, owner, params.sessionId, body));
  router.on('pinSession', ({ owner, params }) => sessions.setPinned(owner, params.sessionId, true));
  router.on('unpinSession', ({ owner, params }) => sessions.setPinned(owner, params.sessionId, false));
  router.on('archiveSession', ({ owner, params }) => sessions.setArchived(owner, params.sessionId, true));
  router.on('unarchiveSession', ({ owner, params }) => sessions.setArchived(owner, params.sessionId, false));
  router.on('markRead', ({ owner, params }) => sessions.markRead(owner, params.sessionId));
  router.on('chooseHead', ({ owner, params, body }) => chooseHead(log, owner, params.sessionId, body.messageId));
  router.on('forkSession', ({ owner, params, body }) => forkSession(log, owner, params.sessionId, body));
  router.on('listMessages', ({ owner, params, query }) => readMessages(log.db, owner, params.sessionId, query));
  router.on('getMessage', ({ owner, params }) => readMessage(log.db, owner, params.messageId));
  router.on('search', ({ owner, query }) => deps.search.search(owner, query));
  endings(router, deps);
  copies(router, deps);
  importsOfPrograms(router, deps);
}

function endings(router: Router, { turns, audit }: SessionDeps): void {
  router.on('clearSession', async ({ c, owner, params }) => {
    const session = await clearSession(turns.deps, owner, params.sessionId);
    await audit({
      owner,
      action: 'session.cleared',
      object: params.sessionId,
      detail: null,
      request_id: c.get('requestId'),
    });
    return session;
  });
  router.on('deleteMessage', async ({ c, owner, params }) => {
    const session = await deleteMessage(turns.deps, owner, params.messageId);
    await audit({
      owner,
      action: 'message.deleted',
      object: params.messageId,
      detail: null,
      request_id: c.get('requestId'),
    });
    return session;
  });
  router.on('deleteSession', async ({ c, owner, params }) => {
    await deleteSession(turns.deps, owner, params.sessionId);
    await audit({
      owner,
      action: 'session.deleted',
      object: params.sessionId,
      detail: null,
      request_id: c.get('requestId'),
    });
    return undefined;
  });
}

/** Loaded when first used: a start does not need them. */
function copies(router: Router, deps: SessionDeps): void {
  const { log, configuration, teams } = deps;
  router.on('exportSession', async ({ c, owner, params, query }) => {
    const { exportMarkdown, exportSessionText } = await import('../../sessions/export.ts');
    const isJson = query.format === 'json';
    const nameOf = (agentId: string) => deps.agents.find(agentId)?.displayName;
    const pieces = isJson
      ? exportSessionText(log.db, owner, params.sessionId)
      : exportMarkdown(log.db, owner, params.sessionId, nameOf);
    // The first piece is made here, so that what is not there is an answer and not a broken download.
    const first = await pieces.next();
    const note = { owner, action: 'session.exported', object: params.sessionId, detail: query.format };
    await auditRead(deps, { ...note, request_id: c.get('requestId') });
    const type = isJson ? 'application/json' : 'text/markdown; charset=utf-8';
    return c.body(streamOf(first.value ?? '', pieces), 200, { 'Content-Type': type });
  });
  router.on('importSession', async ({ owner, query, body }) => {
    const { importSession } = await import('../../sessions/import.ts');
    let missingTeam: SessionTeam | null = null;
    const session = await importSession(log, owner, body, {
      name: query.name,
      limits: configuration.current.limits,
      findTeam: async (tx, team) => {
        const here = await teams.findAsHere(tx, owner, team);
        missingTeam = here === null ? team : null;
        return here;
      },
    });
    return { ...session, missingTeam };
  });
}

function importsOfPrograms(router: Router, deps: SessionDeps): void {
  const { log, env, configuration } = deps;
  const agents = () => programAgents(configuration.current.agents.values());
  const importDeps = {
    log,
    env,
    messageBytes: () => configuration.current.limits.messageBytes,
    agentOf: (program: SessionProgram) => agents().find((each) => each.program === program)!.agentId,
  };
  router.on('listProgramSessions', async ({ owner, query }) => {
    const { listProgramSessions } = await import('../../imports/imports.ts');
    return { sessions: await listProgramSessions(importDeps, owner, query), agents: agents() };
  });
  router.on('importProgramSession', async ({ c, owner, body }) => {
    const { importProgramSession } = await import('../../imports/imports.ts');
    const session = await importProgramSession(importDeps, owner, body);
    const request_id = c.get('requestId');
    await deps.audit({ owner, action: 'session.imported', object: session.id, detail: body.from, request_id });
    return session;
  });
}

/** On a full disk the export is what a person needs most: it does not wait for room in the audit. */
async function auditRead({ audit }: SessionDeps, entry: Parameters<SessionDeps['audit']>[0]): Promise<void> {
  await audit(entry).catch((error) => {
    const failure = describeStorageFailure(error);
    if (!(failure instanceof AppError)) throw error;
  });
}

/** A piece at a time, as fast as the client reads: a long session never stands in memory as a whole. */
function streamOf(first: string, rest: AsyncGenerator<string>): ReadableStream {
  const encoder = new TextEncoder();
  return new ReadableStream({
    start: (controller) => controller.enqueue(encoder.encode(first)),
    pull: async (controller) => {
      const { value, done } = await rest.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    cancel: () => void rest.return(undefined),
  });
}

export function templateRoutes(router: Router, { templates, audit }: SessionDeps): void {
  router.on('listSessionTemplates', async ({ owner }) => ({ templates: await templates.list(owner) }));
  router.on('createSessionTemplate', ({ owner, body }) => templates.create(owner, body));
  router.on('patchSessionTemplate', ({ owner, params, body }) => templates.patch(owner, params.templateId, body));
  router.on('deleteSessionTemplate', async ({ c, owner, params }) => {
    await templates.delete(owner, params.templateId);
    const note = { owner, action: 'template.deleted', object: params.templateId, detail: null };
    await audit({ ...note, request_id: c.get('requestId') });
    return undefined;
  });
}

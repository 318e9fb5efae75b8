import { chooseHead, forkSession } from '../../sessions/branches.ts';
import { readMessage, readMessages } from '../../sessions/transcript.ts';
import type { Call, Router } from '../mount.ts';
import type { World } from '../world.ts';

export function sessionRoutes(router: Router, world: World): void {
  const { sessions, log, turns } = world;
  router.on('listSessions', ({ owner, query }) => sessions.list(owner, query));
  router.on('createSession', ({ owner, body }) => {
    if (body.agentId) turns.agents.require(body.agentId);
    return sessions.create(owner, body);
  });
  router.on('resolveSession', ({ owner, body }) => {
    turns.agents.require(body.agentId);
    return sessions.resolve(owner, body.session, body.agentId);
  });
  router.on('getSession', ({ owner, params }) => sessions.get(owner, params.sessionId));
  router.on('patchSession', ({ owner, params, body }) => {
    if (body.agentId) turns.agents.require(body.agentId);
    return sessions.patch(owner, params.sessionId, body);
  });
  router.on('renameSession', async ({ owner, params, body }) => {
    const { session, removed } = await sessions.rename(owner, params.sessionId, body.name, body.replace);
    turns.abandon(removed);
    return session;
  });
  router.on('pinSession', ({ owner, params }) => sessions.setPinned(owner, params.sessionId, true));
  router.on('unpinSession', ({ owner, params }) => sessions.setPinned(owner, params.sessionId, false));
  router.on('archiveSession', ({ owner, params }) => sessions.setArchived(owner, params.sessionId, true));
  router.on('unarchiveSession', ({ owner, params }) => sessions.setArchived(owner, params.sessionId, false));
  router.on('markRead', ({ owner, params }) => sessions.markRead(owner, params.sessionId));
  router.on('chooseHead', ({ owner, params, body }) => chooseHead(log, owner, params.sessionId, body.messageId));
  router.on('forkSession', ({ owner, params, body }) => forkSession(log, owner, params.sessionId, body));
  router.on('listMessages', ({ owner, params, query }) => readMessages(log.db, owner, params.sessionId, query));
  router.on('getMessage', ({ owner, params }) => readMessage(log.db, owner, params.messageId));
  router.on('search', ({ owner, query }) => world.search.search(owner, query));
  endings(router, world);
  copies(router, world);
}

/** What is cleared or deleted has no turns any more: whoever still speaks there is stopped. */
function endings(router: Router, { sessions, turns, audit }: World): void {
  router.on('clearSession', async ({ c, owner, params }) => {
    const session = await sessions.clear(owner, params.sessionId);
    turns.abandon([params.sessionId]);
    await audit({
      owner,
      action: 'session.cleared',
      object: params.sessionId,
      detail: null,
      request_id: c.get('requestId'),
    });
    return session;
  });
  router.on('deleteSession', async ({ c, owner, params }) => {
    const removed = await sessions.delete(owner, params.sessionId);
    turns.abandon(removed);
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
function copies(router: Router, world: World): void {
  const { log } = world;
  router.on('exportSession', async ({ c, owner, params, query }: Call<'exportSession'>) => {
    const { exportMarkdown, exportSession } = await import('../../sessions/export.ts');
    const exported = query.format === 'json' ? exportSession : exportMarkdown;
    const copy = await exported(log.db, owner, params.sessionId);
    await world.audit({
      owner,
      action: 'session.exported',
      object: params.sessionId,
      detail: query.format,
      request_id: c.get('requestId'),
    });
    if (typeof copy !== 'string') return copy;
    return c.body(copy, 200, { 'Content-Type': 'text/markdown; charset=utf-8' });
  });
  router.on('importSession', async ({ owner, query, body }) => {
    const { importSession } = await import('../../sessions/import.ts');
    return importSession(log, owner, body, query.name);
  });
}

import { chooseHead, forkSession } from '../../sessions/branches.ts';
import { readMessage, readMessages } from '../../sessions/transcript.ts';
import { deleteMessage } from '../../turns/delete-message.ts';
import type { Router } from '../mount.ts';
import type { World } from '../world.ts';

export function sessionRoutes(router: Router, world: World): void {
  const { sessions, templates, log, turns } = world;
  router.on('listSessions', ({ owner, query }) => sessions.list(owner, query));
  router.on('createSession', async ({ owner, body: { templateId, ...given } }) => {
    if (given.agentId) turns.agents.require(given.agentId);
    return sessions.create(owner, templateId === undefined ? given : await templates.apply(owner, templateId, given));
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
  router.on('deleteMessage', async ({ c, owner, params }) => {
    const session = await deleteMessage(turns, owner, params.messageId);
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
  const { log, configuration } = world;
  router.on('exportSession', async ({ c, owner, params, query }) => {
    const { exportMarkdownText, exportSessionText } = await import('../../sessions/export.ts');
    const isJson = query.format === 'json';
    const pieces = (isJson ? exportSessionText : exportMarkdownText)(log.db, owner, params.sessionId);
    // The first piece is made here, so that what is not there is an answer and not a broken download.
    const first = await pieces.next();
    const note = { owner, action: 'session.exported', object: params.sessionId, detail: query.format };
    await world.audit({ ...note, request_id: c.get('requestId') });
    const type = isJson ? 'application/json' : 'text/markdown; charset=utf-8';
    return c.body(streamOf(first.value ?? '', pieces), 200, { 'Content-Type': type });
  });
  router.on('importSession', async ({ owner, query, body }) => {
    const { importSession } = await import('../../sessions/import.ts');
    return importSession(log, owner, body, query.name, configuration.current.limits);
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

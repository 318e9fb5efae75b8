import type { IncomingMessage } from 'node:http';
import { tooLarge } from '../../files/receive.ts';
import type { Router } from '../mount.ts';
import type { RouteDeps } from '../route-deps.ts';
import { bodyOf, mediaTypeOf } from './files.ts';

type KnowledgeRouteDeps = Pick<RouteDeps, 'audit' | 'configuration' | 'knowledge'>;

export function knowledgeRoutes(router: Router, { knowledge, configuration, audit }: KnowledgeRouteDeps): void {
  router.on('listKnowledge', ({ owner, query }) => knowledge.list(owner, query.agent));
  router.on('uploadKnowledge', ({ c, owner, query }) => {
    const incoming = c.env.incoming as IncomingMessage;
    const { knowledgeFileBytes } = configuration.current.limits;
    const body = bodyOf(incoming, knowledgeFileBytes, () => tooLarge(knowledgeFileBytes));
    return knowledge.upload(owner, query, mediaTypeOf(incoming), body);
  });
  router.on('addKnowledgeNote', ({ owner, body }) => knowledge.addNote(owner, body));
  router.on('searchKnowledge', ({ owner, query }) => knowledge.search(owner, query));
  router.on('getKnowledge', ({ owner, params }) => knowledge.get(owner, params.sourceId));
  router.on('renameKnowledge', ({ owner, params, body }) => knowledge.rename(owner, params.sourceId, body.name));
  router.on('deleteKnowledge', async ({ c, owner, params }) => {
    await knowledge.delete(owner, params.sourceId);
    const note = { owner, action: 'knowledge.deleted', object: params.sourceId, detail: null };
    await audit({ ...note, request_id: c.get('requestId') });
    return undefined;
  });
  router.on('listKnowledgePassages', ({ owner, params, query }) =>
    knowledge.passages(owner, params.sourceId, query.from, query.limit),
  );
  router.on('stopKnowledge', ({ owner, params }) => knowledge.stop(owner, params.sourceId));
  router.on('retryKnowledge', ({ owner, params }) => knowledge.retry(owner, params.sourceId));
  router.on('useKnowledge', ({ owner, params, body }) =>
    knowledge.use(owner, params.sourceId, params.agentId, body.children),
  );
  router.on('stopUsingKnowledge', ({ owner, params }) => knowledge.stopUsing(owner, params.sourceId, params.agentId));
}

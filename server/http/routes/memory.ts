import { PERSON } from '../../artifacts/authors.ts';
import type { Ctx, Router } from '../mount.ts';
import type { RouteDeps } from '../route-deps.ts';

export function memoryRoutes(router: Router, { memories, audit }: Pick<RouteDeps, 'audit' | 'memories'>): void {
  const note = (c: Ctx, action: string, object: string | null) =>
    audit({ owner: c.get('owner'), action, object, detail: null, request_id: c.get('requestId') });
  router.on('listMemories', ({ owner, query }) => memories.list(owner, query));
  router.on('createMemory', ({ owner, body }) => memories.create(owner, body, PERSON));
  router.on('getMemory', ({ owner, params }) => memories.get(owner, params.memoryId));
  router.on('patchMemory', ({ owner, params, body }) => memories.patch(owner, params.memoryId, body, PERSON));
  router.on('deleteMemory', async ({ c, owner, params, query }) => {
    if (query.permanently !== 'true') {
      await memories.delete(owner, params.memoryId, PERSON);
      return undefined;
    }
    await memories.erase(owner, params.memoryId);
    await note(c, 'memory.deleted', params.memoryId);
    return undefined;
  });
  router.on('undeleteMemory', ({ owner, params }) => memories.restore(owner, params.memoryId, PERSON));
  router.on('listMemoryChanges', ({ owner, params }) => memories.changes(owner, params.memoryId));
  router.on('exportMemories', async ({ c, owner, query }) => {
    const exported = await memories.export(owner, query.agent);
    await note(c, 'memory.exported', query.agent ?? null);
    return exported;
  });
  router.on('importMemories', async ({ c, owner, body }) => {
    const imported = await memories.import(owner, body);
    await note(c, 'memory.imported', null);
    return imported;
  });
}

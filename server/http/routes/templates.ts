import type { Router } from '../mount.ts';
import type { RouteDeps } from '../route-deps.ts';

export function templateRoutes(router: Router, { templates, audit }: RouteDeps): void {
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

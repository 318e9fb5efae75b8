import type { Router } from '../mount.ts';
import type { RouteDeps } from '../route-deps.ts';

export function panelRoutes(router: Router, { panels }: Pick<RouteDeps, 'panels'>): void {
  router.on('pushPanels', async ({ owner, params, body }) => {
    await panels.push(owner, params.sessionId, body);
    return undefined;
  });
  router.on('reportPanelCommand', ({ owner, params, body }) => {
    panels.report(owner, params.commandId, body);
    return undefined;
  });
}

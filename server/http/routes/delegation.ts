import { readDelegations, readTree } from '../../delegation/tree.ts';
import { whoAnswers } from '../../delegation/who-answers.ts';
import { reportUsage } from '../../turns/usage.ts';
import type { Router } from '../mount.ts';
import type { RouteDeps } from '../route-deps.ts';

export function delegationRoutes(router: Router, { log, sessions, configuration }: RouteDeps): void {
  router.on('listDelegations', ({ owner, params, query }) =>
    readDelegations(log, owner, params.sessionId, query.limit),
  );
  router.on('turnTree', ({ owner, params }) => readTree(log, owner, params.turnId));
  router.on('usage', ({ owner, query }) => reportUsage(log, owner, query, configuration.current.currency));
  router.on('previewMentions', async ({ owner, params, body }) => {
    const session = await sessions.get(owner, params.sessionId);
    return whoAnswers(session, body.content, configuration.current.agents);
  });
}

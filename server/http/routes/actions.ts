import type { Tx } from '../../events/log.ts';
import { toTime } from '../../sessions/views.ts';
import type { ActionRow } from '../../storage/tables.ts';
import { deleteGrant, selectGrants } from '../../turns/action-store.ts';
import { retryIn } from '../../turns/retry.ts';
import type { Router } from '../mount.ts';
import type { World } from '../world.ts';

export function actionRoutes(router: Router, world: World): void {
  const { actions, log, turns } = world;
  router.on('listActions', ({ owner, query }) => actions.list(owner, query));
  router.on('getAction', ({ owner, params }) => actions.get(owner, params.actionId));
  router.on('answerAction', async ({ c, owner, params, body }) => {
    const isRetry = body.decision === 'retry';
    const retry = async (tx: Tx, { turn_id }: ActionRow) => void (await retryIn(tx, turns, owner, turn_id));
    const action = await actions.answer(owner, params.actionId, body, c.get('requestId'), isRetry ? retry : undefined);
    if (isRetry) turns.queueGrew(action.sessionId);
    return action;
  });
  router.on('listGrants', async ({ owner }) => ({
    grants: (await selectGrants(log.db, owner)).map(({ id, agent_id, tool, session_id, created_at }) => ({
      id,
      agentId: agent_id,
      tool,
      sessionId: session_id,
      createdAt: toTime(created_at),
    })),
  }));
  router.on('revokeGrant', async ({ c, owner, params }) => {
    await log.write((tx) => deleteGrant(tx.db, owner, params.grantId));
    const entry = {
      owner,
      action: 'grant.revoked',
      object: params.grantId,
      detail: null,
      request_id: c.get('requestId'),
    };
    await world.audit(entry);
    return undefined;
  });
}

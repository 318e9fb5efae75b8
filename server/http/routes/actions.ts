import type { Action, AnswerAction } from '../../../contract/actions.ts';
import { AppError } from '../../../contract/errors.ts';
import { toTime } from '../../sessions/views.ts';
import type { ActionRow } from '../../storage/tables.ts';
import { InputError } from '../../tools/tool.ts';
import { deleteGrant, selectGrants } from '../../turns/action-store.ts';
import { toAction } from '../../turns/actions.ts';
import { retryIn } from '../../turns/retry.ts';
import type { Router } from '../mount.ts';
import type { RouteDeps } from '../route-deps.ts';

type ActionDeps = Pick<RouteDeps, 'actions' | 'audit' | 'log' | 'tooling' | 'turns'>;

export function actionRoutes(router: Router, deps: ActionDeps): void {
  const { actions, log } = deps;
  router.on('listActions', ({ owner, query }) => actions.list(owner, query));
  router.on('getAction', ({ owner, params }) => actions.get(owner, params.actionId));
  router.on('answerAction', ({ c, owner, params, body }) =>
    answerAction(deps, owner, params.actionId, body, c.get('requestId')),
  );
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
    await deps.audit(entry);
    return undefined;
  });
}

export type AnsweringDeps = Pick<RouteDeps, 'actions' | 'turns' | 'tooling'>;

/** Answers what waits for a person, and does what the answer asks for. */
export async function answerAction(
  deps: AnsweringDeps,
  owner: string,
  actionId: string,
  given: AnswerAction,
  requestId: string,
): Promise<Action> {
  const { actions, turns } = deps;
  const action = await actions.answer(owner, actionId, given, requestId, async (tx, row) => {
    assertUsable(deps, row, given.input);
    if (given.decision === 'retry') await retryIn(tx, turns.deps, owner, row.turn_id);
  });
  return action;
}

/** A person who changes the arguments of a call is told at once when the tool cannot take them. */
function assertUsable({ tooling }: AnsweringDeps, row: ActionRow, input: unknown): void {
  const { approval } = toAction(row);
  if (!approval || input === undefined) return;
  try {
    tooling.find(approval.tool)?.parse(input);
  } catch (error) {
    if (error instanceof InputError) throw new AppError('action_answer_invalid', error.message);
    throw error;
  }
}

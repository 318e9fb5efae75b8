import type { AnswerAction, TrippedLimit } from '../../contract/actions.ts';
import type { Usage } from '../../contract/turns.ts';
import type { AgentEnd } from '../agents/agent.ts';
import type { Connection } from '../sessions/store.ts';
import type { ActionRow } from '../storage/tables.ts';
import { selectExtensions, selectLimitActions } from './action-store.ts';
import type { RunningTurn } from './running-turn.ts';
import { selectUsageOfRoot } from './store.ts';
import type { TurnDeps } from './turn-deps.ts';
import { addUp } from './usage.ts';
import { waitForPerson } from './waiting.ts';

/** The person decides whether an agent that has taken very many steps, or spent very much, goes on. */
export async function mayStep(deps: TurnDeps, running: RunningTurn, step: number): Promise<AgentEnd | null> {
  const { stepsPerTurn } = deps.limits();
  const { tokensPerRoot, costPerRoot } = deps.delegationLimits();
  const goesOn =
    (step < stepsPerTurn || (await askToGoOn(deps, running, 'stepsPerTurn', stepsPerTurn, step + 1))) &&
    (!(tokensPerRoot || costPerRoot) || (await isWithinBudget(deps, running)));
  return goesOn ? null : STOPPED_BY_PERSON;
}

async function isWithinBudget(deps: TurnDeps, running: RunningTurn): Promise<boolean> {
  const { tokensPerRoot, costPerRoot } = deps.delegationLimits();
  const used = await usedByRoot(deps, running);
  const budgets = [
    ['tokensPerRoot', tokensPerRoot, used.inputTokens + used.outputTokens, undefined],
    ['costPerRoot', costPerRoot, used.cost ?? 0, deps.currency()],
  ] as const;
  for (const [name, allowed, spent, currency] of budgets) {
    if (allowed && spent >= allowed && !(await askToGoOn(deps, running, name, allowed, spent, currency))) return false;
  }
  return true;
}

const STOPPED_BY_PERSON: AgentEnd = { type: 'end', reason: 'complete', stopReason: 'limit_stop' };

/** What a limit comes to after what the person has allowed beyond it. */
export async function allowedNow(db: Connection, rootTurnId: string, name: string, allowed: number): Promise<number> {
  const extensions = await selectExtensions(db, rootTurnId);
  return allowed + (extensions.find((extension) => extension.name === name)?.extra ?? 0);
}

/** True at once below the limit. Past it, the turn waits until a person says whether it goes on. */
export async function askToGoOn(
  deps: TurnDeps,
  running: RunningTurn,
  limit: string,
  base: number,
  wanted: number,
  currency?: string,
): Promise<boolean> {
  if (isBelow(limit, wanted, base)) return true;
  for (;;) {
    const allowed = await allowedNow(deps.log.db, running.rootTurnId, limit, base);
    if (isBelow(limit, wanted, allowed)) return true;
    if (!(await askOnce(deps, running, { limit, allowed, wanted, ...(currency && { currency }) }))) return false;
  }
}

/** Counts may reach their limit; what is spent must stay under it. */
function isBelow(limit: string, wanted: number, allowed: number): boolean {
  return limit === 'tokensPerRoot' || limit === 'costPerRoot' ? wanted < allowed : wanted <= allowed;
}

async function askOnce(deps: TurnDeps, running: RunningTurn, limit: TrippedLimit): Promise<boolean> {
  const { answer } = await waitForPerson(deps, running, `limit ${limit.limit}`, async (tx, session) => {
    const asked = (await selectLimitActions(tx.db, running.id)).findLast((action) => isAbout(action, limit));
    if (asked && stillCounts(asked, limit)) return asked;
    return deps.actions.open(tx, session, {
      kind: 'limit',
      title: titleOf(running, limit),
      turnId: running.id,
      agentId: running.turn.agent_id,
      chain: running.chain,
      detail: { limit },
    });
  });
  return answer?.decision === 'continue';
}

function isAbout({ detail }: ActionRow, { limit }: TrippedLimit): boolean {
  return (JSON.parse(detail) as { limit: TrippedLimit }).limit.limit === limit;
}

/** A turn that was told to stop is over: when one asks all the same, the server stopped before it could heed the answer. */
const ENDS_TURN = new Set(['stepsPerTurn', 'rounds', 'tokensPerRoot', 'costPerRoot']);

function stillCounts({ state, answer }: ActionRow, { limit }: TrippedLimit): boolean {
  if (state === 'open') return true;
  return ENDS_TURN.has(limit) && !(answer && (JSON.parse(answer) as AnswerAction).decision === 'continue');
}

const WORDS: Record<string, string> = {
  depth: 'reached the delegation depth limit',
  fanOut: 'wants to run more sub-agents at once than allowed',
  turnsPerRoot: 'reached the turn limit for this request',
  rounds: 'has used all its delegation rounds',
  tokensPerRoot: 'reached the token limit for this request',
  costPerRoot: 'reached the cost limit for this request',
  stepsPerTurn: 'reached the step limit for this turn',
};

function titleOf({ turn }: RunningTurn, { limit, allowed, wanted, currency }: TrippedLimit): string {
  const [used, most] = [wanted, allowed].map((amount) => formatAmount(amount, currency));
  return `${turn.agent_id} ${WORDS[limit] ?? `reached the ${limit} limit`} (${used}, limit ${most}). Continue?`;
}

function formatAmount(amount: number, currency: string | undefined): string {
  return currency === undefined ? String(amount) : `${amount.toFixed(2)} ${currency}`;
}

const NOTHING: Usage = { inputTokens: 0, outputTokens: 0 };

/** What has been spent on what the person asked for: what is over, and what is under way. */
async function usedByRoot({ log, coordinator }: TurnDeps, { rootTurnId }: RunningTurn): Promise<Usage> {
  const rows = await selectUsageOfRoot(log.db, rootTurnId, rootTurnId);
  const settled = rows.flatMap(({ usage }) => (usage ? [JSON.parse(usage) as Usage] : []));
  const live = coordinator.all.flatMap((turn) => (turn.rootTurnId === rootTurnId && turn.usage ? [turn.usage] : []));
  return [...settled, ...live].reduce(addUp, NOTHING);
}

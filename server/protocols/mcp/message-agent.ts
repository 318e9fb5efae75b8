import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server';
import { HOPS_META } from '../../../contract/hops.ts';
import { newId } from '../../../contract/ids.ts';
import type { Turn } from '../../../contract/turns.ts';
import { checkHops } from '../hops.ts';
import type { McpCaller } from './caller.ts';
import { turnResult } from './results.ts';
import { giveSigns } from './signs.ts';

interface Wanted {
  agent: string;
  message: string;
  session?: string | undefined;
  wait: boolean;
}

/** Sends a message and waits for the answer. A client that stops waiting does not stop the work. */
export async function messageAgent(caller: McpCaller, wanted: Wanted, context: ServerContext): Promise<CallToolResult> {
  const { deps, owner } = caller;
  deps.exposedAgent(wanted.agent);
  const hops = Math.max(caller.hops, checkHops(deps, context.mcpReq._meta?.[HOPS_META]));
  if (wanted.session !== undefined) await deps.exposedSession(owner, wanted.session);
  const sessionId = wanted.session ?? newId();
  const receipt = await deps.accept({
    owner,
    sessionId,
    ...(wanted.session === undefined && { create: { agentId: wanted.agent } }),
    agent: wanted.agent,
    content: wanted.message,
    busy: 'queue',
    hops,
  });
  if (wanted.wait) await waitFor(caller, receipt.turn, context);
  return turnResult(await deps.readTurn(owner, receipt.turn.id));
}

/** Long enough that it ends for another reason. */
const LOOK_EVERY_MS = 60_000;

async function waitFor({ deps, owner }: McpCaller, turn: Turn, context: ServerContext): Promise<void> {
  let { state } = turn;
  const stopSigns = giveSigns(context, () =>
    state === 'waiting' ? 'Waiting for the person.' : `The turn is ${state}.`,
  );
  const left = new Promise<void>((resolve) => context.mcpReq.signal.addEventListener('abort', () => resolve()));
  try {
    for (let isOver = false; !isOver && !context.mcpReq.signal.aborted; ) {
      await Promise.race([deps.waitForTurn(turn.id, LOOK_EVERY_MS), left]);
      const now = (await deps.readTurn(owner, turn.id)).turn;
      state = now.state;
      isOver = now.endedAt !== null;
    }
  } finally {
    stopSigns();
  }
}

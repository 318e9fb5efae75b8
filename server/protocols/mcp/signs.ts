import type { ServerContext } from '@modelcontextprotocol/server';

/** Programs give up after a minute without a sign. A delegate or a person may take longer than that. */
export const SIGN_EVERY_MS = 5000;

let signs = 0;

/** Tells the client every few seconds that the call goes on, if it has asked for that. Gives what stops it. */
export function giveSigns(context: ServerContext, message?: () => string): () => void {
  const timer = setInterval(() => void tellProgress(context, message?.()), SIGN_EVERY_MS);
  return () => clearInterval(timer);
}

async function tellProgress({ mcpReq }: ServerContext, message: string | undefined): Promise<void> {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return;
  const params = { progressToken, progress: ++signs, ...(message !== undefined && { message }) };
  await mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
}

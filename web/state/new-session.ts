import type { Live } from '../live/live.ts';
import { notify } from '../ui/toast.tsx';
import { chooseAgent } from './choose-agent.ts';
import { closeOverlays } from './panes.ts';

/** What the router's `navigate` does with a session. */
export type Navigate = (place: { to: '/sessions/$sessionId'; params: { sessionId: string } }) => unknown;

/** Makes a session and goes there. Without an agent, it is the one the person spoke with last. */
export async function newSession(live: Live, navigate: Navigate, agentId?: string): Promise<void> {
  try {
    const chosen = agentId ?? (await usualAgent(live));
    const session = await live.client.call('createSession', { body: chosen === null ? {} : { agentId: chosen } });
    live.note(session);
    closeOverlays();
    await navigate({ to: '/sessions/$sessionId', params: { sessionId: session.id } });
  } catch (error) {
    notify({ title: (error as Error).message });
  }
}

/** The agent used last, or the first that can answer; null when none can. */
export async function usualAgent(live: Live): Promise<string | null> {
  const { agents } = await live.client.call('listAgents');
  return chooseAgent(live.store.getState().sessions.values(), agents);
}

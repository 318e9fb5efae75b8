import { z } from 'zod';

/** What is kept of a conversation with a peer: it names the peer's own memory, and the task that was worked on last. */
const State = z.object({
  contextId: z.string(),
  taskId: z.string(),
  /** Work that the peer told of, for which there is a session already. */
  opened: z.array(z.string()),
  /** Questions whose answers were sent. */
  answered: z.array(z.string()),
});
export type State = z.infer<typeof State>;

export const NO_STATE: State = { contextId: '', taskId: '', opened: [], answered: [] };

export function parseState(token: string | null): State {
  if (token === null) return NO_STATE;
  return State.safeParse(JSON.parse(token)).data ?? NO_STATE;
}

import { useEffect, useRef, useState } from 'react';
import { sessionPath } from '../../../client/paths.ts';
import type { Live } from '../../live/live.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { deleteAndLeave } from '../../state/undoable-deletions.ts';
import { notify } from '../../ui/toast.tsx';

/** Lists leave these sessions out; they are deleted when nobody looks at them any more. */
const SCRATCH = { scratch: true } as const;

/** A session for trying an agent out, made with the first message. */
export function useScratch(agentId: string) {
  const live = useLiveConnection();
  const [sessionId, setSessionId] = useState<string | null>(null);
  const current = useRef<string | null>(null);
  const forget = () => {
    const id = current.current;
    current.current = null;
    setSessionId(null);
    return id;
  };
  useEffect(() => whenLeft(() => drop(live, current.current)), [live]);
  const begin = async () => {
    const session = await live.client.createSession({ agentId, attributes: SCRATCH });
    current.current = session.id;
    await live.open(session.id);
    setSessionId(session.id);
    return session.id;
  };
  const send = (content: string) => {
    const sent = async () => live.client.sendMessage(current.current ?? (await begin()), { content });
    sent().catch((error: Error) => notify({ title: error.message }));
  };
  const keep = () => {
    const id = forget();
    if (id !== null) live.client.patchSession(id, { attributes: { scratch: null } }).catch(() => undefined);
    return id;
  };
  return { sessionId, send, keep, again: () => drop(live, forget()) };
}

/** Whether the person goes to another page or closes this one. */
function whenLeft(leave: () => void): () => void {
  addEventListener('pagehide', leave);
  return () => {
    removeEventListener('pagehide', leave);
    leave();
  };
}

function drop(live: Live, id: string | null): void {
  if (id === null) return;
  deleteAndLeave(live.client.baseUrl + sessionPath(id));
}

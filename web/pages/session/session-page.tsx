import { getRouteApi, useLocation } from '@tanstack/react-router';
import { Activity, useMemo } from 'react';
import { Conversation } from '../../features/conversation/conversation.tsx';
import type { Target } from '../../features/conversation/use-jump.ts';
import { FillSlots } from '../../state/slots.tsx';
import { SESSION_SLOTS } from './slots.ts';
import { useKept } from './use-kept.ts';

/** The session that was asked for, with those shown before it kept behind it: going back to one of them is immediate. */
export function SessionPage() {
  const { sessionId } = sessionRoute.useParams();
  const target = useTargetOfPage();
  const kept = useKept(sessionId);
  return (
    <FillSlots slots={SESSION_SLOTS}>
      {kept.map((id) => (
        <Activity key={id} mode={id === sessionId ? 'visible' : 'hidden'}>
          <Conversation sessionId={id} isShown={id === sessionId} target={id === sessionId ? target : undefined} />
        </Activity>
      ))}
    </FillSlots>
  );
}

function useTargetOfPage(): Target | undefined {
  const { message } = sessionRoute.useSearch();
  const visit = useLocation({ select: ({ state }) => state.__TSR_key ?? '' });
  return useMemo(
    () => (message === undefined ? undefined : { messageId: message, visit: `${visit} ${message}` }),
    [message, visit],
  );
}

const sessionRoute = getRouteApi('/sessions/$sessionId');

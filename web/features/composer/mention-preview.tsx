import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Mentions } from '../../../contract/delegation.ts';
import { useText } from '../../i18n/text.ts';
import { useAgentNames } from '../../live/use-agents.ts';
import { useLiveConnection, useSession } from '../../live/use-live.ts';
import { leadOf } from './leading-names.ts';

const SETTLE_MS = 200;

/** Who will answer, as the server reads it, whenever a message begins with somebody's name. */
export function MentionPreview({ sessionId, text: written }: { sessionId: string; text: string }) {
  const text = useText();
  const nameOf = useAgentNames();
  const mentions = useMentions(sessionId, useSettled(leadOf(written)));
  const shown = leadOf(written) === null ? null : mentions;
  if (!shown) return null;
  const who = shown.answering.map(({ agentId, guest }) =>
    guest ? text('composer.asGuest', { name: nameOf(agentId) }) : nameOf(agentId),
  );
  const [unknown] = shown.unknown;
  return (
    <p className="truncate px-3.5 pb-1 text-xs text-fg-2" title={who.join(', ')}>
      {who.length > 0 && text('composer.answers', { who: who.join(text('composer.then')) })}
      {unknown !== undefined && <span className="text-fg-3"> {text('composer.nobodyCalled', { name: unknown })}</span>}
    </p>
  );
}

function useMentions(sessionId: string, lead: string | null): Mentions | null {
  const { client } = useLiveConnection();
  const session = useSession(sessionId);
  const here = [session?.agentId, ...(session?.agents ?? [])];
  const { data } = useQuery({
    queryKey: ['mentions', sessionId, here, lead],
    queryFn: () => client.previewMentions(sessionId, lead!),
    enabled: lead !== null,
    placeholderData: (before) => before,
  });
  return lead === null ? null : (data ?? null);
}

/** What a value is once it has stayed the same for a moment. */
function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

import { Link } from '@tanstack/react-router';
import { memo, useMemo } from 'react';
import type { Session } from '../../../contract/sessions.ts';
import { useText } from '../../i18n/text.ts';
import { relativeTime, useNow } from '../../i18n/time.ts';
import { useAgent } from '../../live/use-agents.ts';
import { useLive } from '../../live/use-live.ts';
import { useHidden } from '../../sidebar/deletions.ts';
import { StatusDot } from '../../ui/status-dot.tsx';
import { Section } from '../page.tsx';
import { recentSessions } from './recent.ts';

export function RecentSessions() {
  const text = useText();
  const sessions = useLive((state) => state.sessions);
  const isListed = useLive((state) => state.isListed);
  const hidden = useHidden();
  const recent = useMemo(() => recentSessions(sessions.values(), hidden), [sessions, hidden]);
  return (
    <Section title={text('dashboard.recent')}>
      {isListed && recent.length === 0 && <p className="text-fg-2">{text('dashboard.noSessions')}</p>}
      {!isListed && <p className="text-fg-3">{text('app.loading')}</p>}
      <ul className="-mx-2">
        {recent.map((session) => (
          <Recent key={session.id} session={session} />
        ))}
      </ul>
    </Section>
  );
}

const Recent = memo(function Recent({ session }: { session: Session }) {
  const text = useText();
  const now = useNow();
  const agent = useAgent(session.agentId);
  return (
    <li>
      <Link
        to="/sessions/$sessionId"
        params={{ sessionId: session.id }}
        className="flex items-baseline gap-2 rounded-md px-2 py-1.5 hover:bg-hover"
      >
        <StatusDot status={session.status} />
        <span className="min-w-0 flex-1">
          <span className="block truncate">{session.title || text('dashboard.untitled')}</span>
          <span className="block truncate text-xs text-fg-3">{agent?.displayName ?? session.agentId}</span>
        </span>
        <time dateTime={session.lastActivityAt} className="text-xs text-fg-3">
          {relativeTime(session.lastActivityAt, now)}
        </time>
      </Link>
    </li>
  );
});

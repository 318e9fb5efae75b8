import { Link } from '@tanstack/react-router';
import { memo, useMemo } from 'react';
import type { Session } from '../../../contract/sessions.ts';
import { sessionTitle } from '../../i18n/session-title.ts';
import { useLanguage, useText } from '../../i18n/text.ts';
import { relativeTime, useNow } from '../../i18n/time.ts';
import { useLive } from '../../live/use-live.ts';
import { useSpeakerName } from '../../live/use-speaker.ts';
import { plainSnippet } from '../../markdown/plain-snippet.ts';
import { useHidden } from '../../state/session-deletions.ts';
import { Section } from '../../ui/page.tsx';
import { StatusDot } from '../../ui/status-dot.tsx';
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

/** With its last words, which say more than a title about where it stands. */
const Recent = memo(function Recent({ session }: { session: Session }) {
  useLanguage();
  const now = useNow();
  const name = useSpeakerName(session);
  const words = plainSnippet(session.lastSnippet);
  return (
    <li>
      <Link
        to="/sessions/$sessionId"
        params={{ sessionId: session.id }}
        className="block rounded-md px-2 py-2 hover:bg-hover"
      >
        <span className="flex items-center gap-2">
          <StatusDot status={session.status} />
          <span dir="auto" className="min-w-0 flex-1 truncate font-medium">
            {sessionTitle(session.title)}
          </span>
          <time dateTime={session.lastActivityAt} className="flex-none text-xs text-fg-3">
            {relativeTime(session.lastActivityAt, now)}
          </time>
        </span>
        <span dir="auto" className="mt-0.5 line-clamp-2 pl-4.5 text-xs text-fg-2">
          {name && <span className="text-fg-3">{words ? `${name}: ` : name}</span>}
          {words}
        </span>
      </Link>
    </li>
  );
});

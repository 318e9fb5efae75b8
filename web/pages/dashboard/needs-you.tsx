import { Link } from '@tanstack/react-router';
import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import type { Action } from '../../../contract/actions.ts';
import type { Session } from '../../../contract/sessions.ts';
import { LazyActionCard } from '../../features/actions/lazy-action-card.tsx';
import { relativeTime, useNow } from '../../i18n/formats.ts';
import { sessionTitle, useLanguage, useText } from '../../i18n/text.ts';
import { useAgentName } from '../../live/use-agents.ts';
import { useLive, useSession } from '../../live/use-live.ts';
import { plainSnippet } from '../../markdown/plain-snippet.tsx';
import { failureCause } from '../../state/failure-cause.ts';
import { useInNeed } from '../../state/needs-you.ts';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/page.tsx';
import { StatusDot } from '../../ui/status-dot.tsx';
import { type Failure, sortNeeds } from './needs-you.ts';

const SHOWN_FAILURES = 3;

/** What agents wait for, all of it; then what went wrong, one line each. Nothing at all where nothing waits. */
export function NeedsYou() {
  const text = useText();
  const actions = useLive((state) => state.actions);
  const inNeed = useInNeed();
  if (inNeed.length === 0) return null;
  const { asked, failures } = sortNeeds(inNeed, actions);
  return (
    <Section title={`${text('dashboard.needsYou')} (${inNeed.length})`}>
      <ul className="max-w-(--measure) space-y-3 empty:hidden">
        {asked.map((action) => (
          <Asked key={action.id} action={action} />
        ))}
      </ul>
      <Failures failures={failures} total={inNeed.length} />
    </Section>
  );
}

function Asked({ action }: { action: Action }) {
  const now = useNow();
  return (
    <li>
      <p className="flex items-center gap-2 text-xs text-fg-3">
        <SessionLink sessionId={action.sessionId} />
        <span className="flex-none py-0.5">{relativeTime(action.createdAt, now)}</span>
      </p>
      <LazyActionCard action={action} level={3} />
    </li>
  );
}

function SessionLink({ sessionId }: { sessionId: string }) {
  const title = useTitle(sessionId);
  return (
    <Link
      to="/sessions/$sessionId"
      params={{ sessionId }}
      className="touch-link truncate py-0.5 text-link hover:underline"
    >
      {title}
    </Link>
  );
}

function useTitle(sessionId: string): string {
  useLanguage();
  return sessionTitle(useSession(sessionId)?.title);
}

/** The button names the same number as the heading: how many sessions need the person. */
function Failures({ failures, total }: { failures: readonly Failure[]; total: number }) {
  const text = useText();
  const [isAll, setAll] = useState(false);
  const shown = isAll ? failures : failures.slice(0, SHOWN_FAILURES);
  return (
    <>
      <ul className="mt-3 max-w-(--measure) divide-y divide-line border-y border-line empty:hidden">
        {shown.map((failure) =>
          'action' in failure ? (
            <Failed key={failure.action.id} action={failure.action} />
          ) : (
            <Stuck key={failure.session.id} session={failure.session} />
          ),
        )}
      </ul>
      {failures.length > SHOWN_FAILURES && (
        <Button look="plain" className="mt-2" aria-expanded={isAll} onClick={() => setAll(!isAll)}>
          {text(isAll ? 'dashboard.showFewer' : 'dashboard.showAll', { count: total })}
        </Button>
      )}
    </>
  );
}

/** One line; what can be done about it opens. */
function Failed({ action }: { action: Action }) {
  const now = useNow();
  const title = useTitle(action.sessionId);
  const name = useAgentName(action.agentId);
  return (
    <li>
      <details className="group/failed">
        <summary className="flex min-h-9 cursor-pointer list-none touch:min-h-11 items-center gap-2 hover:bg-hover">
          <ChevronRight size={13} aria-hidden="true" className="flex-none text-fg-3 group-open/failed:rotate-90" />
          <StatusDot status="error" />
          <span dir="auto" className="max-w-[45%] flex-none truncate font-medium">
            {title}
          </span>
          <span dir="auto" className="min-w-0 flex-1 truncate text-fg-2">
            {action.failure ? failureCause(action.failure, name) : action.title}
          </span>
          <span className="flex-none text-xs text-fg-3">{relativeTime(action.createdAt, now)}</span>
        </summary>
        <div className="pb-2">
          <SessionLink sessionId={action.sessionId} />
          <LazyActionCard action={action} level={3} />
        </div>
      </details>
    </li>
  );
}

/** Work of a tool that failed or waits: what can be done about it is in its session. */
function Stuck({ session: { id, title, status, lastSnippet, lastActivityAt } }: { session: Session }) {
  const text = useText();
  const now = useNow();
  return (
    <li>
      <Link
        to="/sessions/$sessionId"
        params={{ sessionId: id }}
        className="flex min-h-9 items-center gap-2 pl-5.25 hover:bg-hover touch:min-h-11"
      >
        <StatusDot status={status} />
        <span className="max-w-[45%] flex-none truncate font-medium">{sessionTitle(title)}</span>
        <span className="min-w-0 flex-1 truncate text-fg-2">
          {plainSnippet(lastSnippet) || text(`status.${status}`)}
        </span>
        <span className="flex-none text-xs text-fg-3">{relativeTime(lastActivityAt, now)}</span>
      </Link>
    </li>
  );
}

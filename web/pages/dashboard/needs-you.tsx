import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Action } from '../../../contract/actions.ts';
import { ActionCard } from '../../actions/action-card.tsx';
import { useText } from '../../i18n/text.ts';
import { relativeTime, useNow } from '../../i18n/time.ts';
import { useLive, useSession } from '../../live/use-live.ts';
import { Button } from '../../ui/button.tsx';
import { Section } from '../page.tsx';

const SHOWN = 3;

/** Everything that waits for the person, oldest first; they answer it here or go where it was asked. */
export function NeedsYou() {
  const text = useText();
  const open = useLive((state) => state.actions);
  const isListed = useLive((state) => state.isListed);
  const [all, setAll] = useState(false);
  const actions = [...open.values()];
  const shown = all ? actions : actions.slice(0, SHOWN);
  if (!isListed) return null;
  return (
    <Section title={text('dashboard.needsYou')}>
      {actions.length === 0 && <p className="text-fg-2">{text('dashboard.nothingWaits')}</p>}
      <ul className="max-w-(--measure) space-y-3">
        {shown.map((action) => (
          <Waiting key={action.id} action={action} />
        ))}
      </ul>
      {actions.length > SHOWN && (
        <Button className="mt-2" aria-expanded={all} onClick={() => setAll(!all)}>
          {text(all ? 'dashboard.showFewer' : 'dashboard.showAll', { count: actions.length })}
        </Button>
      )}
    </Section>
  );
}

function Waiting({ action }: { action: Action }) {
  const text = useText();
  const now = useNow();
  const session = useSession(action.sessionId);
  return (
    <li>
      <p className="flex gap-2 text-xs text-fg-3">
        <Link
          to="/sessions/$sessionId"
          params={{ sessionId: action.sessionId }}
          className="truncate py-0.5 text-link hover:underline"
        >
          {session?.title || text('dashboard.untitled')}
        </Link>
        <span className="flex-none py-0.5">{relativeTime(action.createdAt, now)}</span>
      </p>
      <ActionCard action={action} />
    </li>
  );
}

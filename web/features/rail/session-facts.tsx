import { Copy, Eye } from 'lucide-react';
import type { Session } from '../../../contract/sessions.ts';
import type { Turn } from '../../../contract/turns.ts';
import { useText } from '../../i18n/text.ts';
import { shortDate } from '../../i18n/time.ts';
import { useLive, useLiveConnection } from '../../live/use-live.ts';
import { showModelInput } from '../../state/model-input.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { notify } from '../../ui/toast.tsx';
import { useCopy } from '../../ui/use-copy.ts';
import { Fact, Section } from './section.tsx';

export function SessionFacts({ session }: { session: Session }) {
  const text = useText();
  const live = useLiveConnection();
  const { copy } = useCopy();
  const turns = useLive(({ states }) => states.get(session.id)?.turns);
  const newest = newestOf(turns?.values() ?? []);
  const setMode = (readOnly: boolean) =>
    void live.client
      .patchSession(session.id, { mode: readOnly ? 'read-only' : 'full' })
      .then((changed) => live.note(changed))
      .catch((error: Error) => notify({ title: error.message }));
  return (
    <Section title={text('rail.session')}>
      <dl>
        <Fact name={text('rail.started')}>{shortDate(session.createdAt)}</Fact>
      </dl>
      <div className="flex items-center gap-1 px-2">
        <code className="min-w-0 flex-1 truncate font-mono text-2xs text-fg-3">{session.id}</code>
        <IconButton label={text('rail.copyId')} onClick={() => copy(session.id)}>
          <Copy size={13} />
        </IconButton>
      </div>
      <label className="flex min-h-7 items-center gap-2 px-2 text-xs text-fg-2">
        <input
          type="checkbox"
          checked={session.mode === 'read-only'}
          onChange={(event) => setMode(event.target.checked)}
        />
        {text('rail.readOnly')}
      </label>
      {newest && (
        <Button look="plain" className="mx-1 mt-1" onClick={() => showModelInput(session.id, newest.id)}>
          <Eye size={14} />
          {text('rail.seen')}
        </Button>
      )}
    </Section>
  );
}

/** Of those that have begun: who waits in line has not seen anything yet. */
function newestOf(turns: Iterable<Turn>): Turn | undefined {
  const begun = [...turns].filter(({ startedAt }) => startedAt !== null);
  return begun.reduce<Turn | undefined>(
    (one, other) => (one && one.startedAt! > other.startedAt! ? one : other),
    undefined,
  );
}

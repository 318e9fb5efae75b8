import { Plus } from 'lucide-react';
import { useState } from 'react';
import type { Schedule } from '../../../contract/schedules.ts';
import { useText } from '../../i18n/schedule-words.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Loaded, Page } from '../../ui/page.tsx';
import { ScheduleDialog } from './schedule-dialog.tsx';
import { ScheduleRow } from './schedule-row.tsx';
import { useSchedules } from './use-schedules.ts';

/** What the dialog is open for: a schedule, or a new one. */
type Editing = { readonly of: Schedule | null };

/** Messages that are sent at a time or on a rhythm. */
export function SchedulesPage() {
  const text = useText();
  const schedules = useSchedules();
  const [editing, setEditing] = useState<Editing | null>(null);
  const create = (
    <Button look="primary" onClick={() => setEditing({ of: null })}>
      <Plus size={14} />
      {text('schedules.new')}
    </Button>
  );
  return (
    <Page title={text('nav.schedules')} actions={schedules.data?.schedules.length ? create : undefined}>
      <p className="mb-4 max-w-[62ch] text-fg-2">{text('schedules.intro')}</p>
      <Loaded query={schedules}>
        {({ schedules: list }) =>
          list.length === 0 ? (
            <EmptyState title={text('schedules.none')} action={create}>
              {text('schedules.noneHint')}
            </EmptyState>
          ) : (
            <ul
              aria-label={text('nav.schedules')}
              className="divide-y divide-line rounded-lg border border-line bg-surface"
            >
              {list.map((schedule) => (
                <ScheduleRow key={schedule.id} schedule={schedule} onEdit={() => setEditing({ of: schedule })} />
              ))}
            </ul>
          )
        }
      </Loaded>
      {editing && <ScheduleDialog schedule={editing.of} onClose={() => setEditing(null)} />}
    </Page>
  );
}

import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { Schedule } from '../../../contract/schedules.ts';
import { useText } from '../../i18n/schedule-words.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { blank, changesOf, draftOf, isComplete, toFields } from './draft.ts';
import { ScheduleForm } from './schedule-form.tsx';
import { problemText } from './use-schedules.ts';

const FORM_ID = 'schedule-form';

interface Props {
  /** Null: a new one. */
  schedule: Schedule | null;
  onClose(): void;
}

export function ScheduleDialog({ schedule, onClose }: Props) {
  const text = useText();
  const { client } = useLiveConnection();
  const queries = useQueryClient();
  const [start] = useState(() => (schedule ? draftOf(schedule) : blank()));
  const [draft, setDraft] = useState(start);
  const [problem, setProblem] = useState<string | null>(null);
  const save = () =>
    schedule
      ? client.call('patchSchedule', { scheduleId: schedule.id, body: changesOf(start, draft) })
      : client.call('createSchedule', { body: toFields(draft) });
  const submit = async () => {
    setProblem(null);
    try {
      await save();
      await queries.invalidateQueries({ queryKey: ['schedules'] });
      onClose();
    } catch (error) {
      setProblem(problemText(error as Error));
    }
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (isComplete(draft)) void submit();
  };
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={text(schedule ? 'schedules.editTitle' : 'schedules.new')}
      footer={
        <>
          <Button onClick={onClose}>{text('action.cancel')}</Button>
          <Button look="primary" type="submit" form={FORM_ID} disabled={!isComplete(draft)}>
            {text('agents.save')}
          </Button>
        </>
      }
    >
      <form id={FORM_ID} onSubmit={onSubmit} className="flex flex-col gap-3">
        <ScheduleForm draft={draft} onChange={(change) => setDraft((before) => ({ ...before, ...change }))} />
        <p role="alert" className="text-danger empty:hidden">
          {problem}
        </p>
      </form>
    </Dialog>
  );
}

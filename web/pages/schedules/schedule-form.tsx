import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useText } from '../../i18n/schedule-words.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { AgentChoice, SessionChoice } from '../../state/choices.tsx';
import { cx } from '../../ui/cx.ts';
import { Check, FIELD_BOX, FIELD_LINE, Field } from '../../ui/field.tsx';
import type { Draft } from './draft.ts';
import { moment, problemText } from './use-schedules.ts';

interface Props {
  draft: Draft;
  onChange(change: Partial<Draft>): void;
}

export function ScheduleForm({ draft, onChange }: Props) {
  const text = useText();
  const isNewSession = draft.sessionId === '';
  return (
    <>
      <Field label={text('schedules.name')} hint={text('schedules.nameHint')}>
        {(control) => (
          <input
            {...control}
            required
            maxLength={200}
            value={draft.name}
            onChange={({ target }) => onChange({ name: target.value })}
            className={FIELD_LINE}
          />
        )}
      </Field>
      <Field label={text('schedules.content')} hint={text('schedules.contentHint')}>
        {(control) => (
          <textarea
            {...control}
            required
            rows={3}
            maxLength={100_000}
            dir="auto"
            value={draft.content}
            onChange={({ target }) => onChange({ content: target.value })}
            className={cx(FIELD_BOX, 'field-sizing-content max-h-[32vh] min-h-16 py-1 text-md')}
          />
        )}
      </Field>
      <div className="grid gap-3 sm:grid-cols-2">
        <SessionChoice
          label={text('schedules.session')}
          none={text('schedules.sessionNew')}
          value={draft.sessionId}
          onChoose={(sessionId) => onChange({ sessionId })}
        />
        <AgentChoice
          label={text('schedules.agent')}
          none={text(isNewSession ? 'schedules.choose' : 'schedules.agentPrimary')}
          value={draft.agentId}
          required={isNewSession}
          onChoose={(agentId) => onChange({ agentId })}
        />
      </div>
      <WhenField draft={draft} onChange={onChange} />
      <div className="grid gap-3 sm:grid-cols-2">
        <Field label={text('schedules.timeZone')}>
          {(control) => (
            <input
              {...control}
              required
              value={draft.timeZone}
              spellCheck={false}
              onChange={({ target }) => onChange({ timeZone: target.value })}
              className={FIELD_LINE}
            />
          )}
        </Field>
        <Field label={text('schedules.times')}>
          {(control) => (
            <input
              {...control}
              type="number"
              min={1}
              max={1_000_000}
              placeholder={text('schedules.timesAny')}
              value={draft.times}
              onChange={({ target }) => onChange({ times: target.value })}
              className={FIELD_LINE}
            />
          )}
        </Field>
      </div>
      <fieldset>
        <legend className="mb-1 text-fg-2">{text('schedules.missed')}</legend>
        <Check isOn={draft.skipsMissed} onCheck={(skipsMissed) => onChange({ skipsMissed })}>
          {text('schedules.missed.skip')}
        </Check>
      </fieldset>
    </>
  );
}

/** What a press on a suggestion writes; the server reads English words, date and time, or cron fields. */
const SUGGESTIONS = {
  weekday: 'every weekday at 8',
  day: 'every day at 9',
  week: 'every monday at 9',
  month: 'every month on the 1st at 9',
  tomorrow: 'tomorrow at 9',
  hour: 'in an hour',
} as const;

function WhenField({ draft, onChange }: Props) {
  const text = useText();
  const { words, problem } = usePreview(draft);
  return (
    <div>
      <Field label={text('schedules.when')} hint={words ?? text('schedules.whenHint')} problem={problem}>
        {(control) => (
          <input
            {...control}
            required
            maxLength={200}
            value={draft.when}
            spellCheck={false}
            placeholder={SUGGESTIONS.weekday}
            onChange={({ target }) => onChange({ when: target.value })}
            className={FIELD_LINE}
          />
        )}
      </Field>
      <div className="mt-1.5 flex flex-wrap gap-1.5">
        {(Object.keys(SUGGESTIONS) as (keyof typeof SUGGESTIONS)[]).map((name) => (
          <button
            key={name}
            type="button"
            onClick={() => onChange({ when: SUGGESTIONS[name] })}
            className="h-7 rounded-md border border-line bg-surface px-2 text-xs text-fg-2 touch:min-h-11 hover:bg-hover hover:text-fg"
          >
            {text(`schedules.quick.${name}`)}
          </button>
        ))}
      </div>
    </div>
  );
}

const PAUSE_MS = 300;
const SHOWN = 3;

/** The next times of what is written, once the person pauses, or what is wrong with it. */
function usePreview({ when, timeZone }: Draft): { words?: string; problem?: string } {
  const text = useText();
  const { client } = useLiveConnection();
  const asked = useSettled(`${when.trim()}\n${timeZone.trim()}`);
  const [wanted = '', zone = ''] = asked.split('\n');
  const preview = useQuery({
    queryKey: ['schedule-preview', wanted, zone],
    queryFn: () => client.call('previewSchedule', { body: { when: wanted, timeZone: zone } }),
    enabled: wanted !== '' && zone !== '',
    retry: false,
    gcTime: 0,
  });
  if (wanted === '') return {};
  if (preview.error) return { problem: problemText(preview.error) };
  if (!preview.data) return {};
  const times = preview.data.next.slice(0, SHOWN).map((at) => moment(at, { timeZone: zone }));
  return { words: text('schedules.nextTimes', { times: times.join(' · ') }) };
}

/** A value once it has not changed for a moment. */
function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

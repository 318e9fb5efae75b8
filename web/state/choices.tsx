import { useId } from 'react';
import { sessionTitle, useText } from '../i18n/text.ts';
import { useAgents } from '../live/use-agents.ts';
import { useLive } from '../live/use-live.ts';
import { FIELD_LINE, Field } from '../ui/field.tsx';
import { folderNames } from './order.ts';

interface Props {
  label: string;
  /** What no choice stands for. */
  none: string;
  value: string;
  required?: boolean;
  onChoose(value: string): void;
}

export function AgentChoice({ label, none, value, required = false, onChoose }: Props) {
  const agents = useAgents().filter((agent) => agent.uiVisible || agent.agentId === value);
  const isKnown = value === '' || agents.some((agent) => agent.agentId === value);
  return (
    <Field label={label}>
      {(control) => (
        <select
          {...control}
          required={required}
          value={value}
          onChange={({ target }) => onChoose(target.value)}
          className={FIELD_LINE}
        >
          <option value="">{none}</option>
          {!isKnown && <option value={value}>{value}</option>}
          {agents.map((agent) => (
            <option key={agent.agentId} value={agent.agentId}>
              {agent.displayName}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

const MOST_SESSIONS = 100;

export function SessionChoice({ label, none, value, onChoose }: Props) {
  const known = useLive((state) => state.sessions);
  const offered = [...known.values()]
    .filter(
      ({ id, type, delegatedFrom, archivedAt }) =>
        id === value || (type === 'conversation' && !delegatedFrom && !archivedAt),
    )
    .sort((one, other) => other.lastActivityAt.localeCompare(one.lastActivityAt))
    .slice(0, MOST_SESSIONS);
  const isKnown = value === '' || offered.some(({ id }) => id === value);
  return (
    <Field label={label}>
      {(control) => (
        <select {...control} value={value} onChange={({ target }) => onChoose(target.value)} className={FIELD_LINE}>
          <option value="">{none}</option>
          {!isKnown && <option value={value}>{value}</option>}
          {offered.map(({ id, title }) => (
            <option key={id} value={id}>
              {sessionTitle(title)}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** One of the folders that there are, or another one. */
export function FolderField({ folder, onChange }: { folder: string; onChange(folder: string): void }) {
  const text = useText();
  const names = useId();
  const sessions = useLive((state) => state.sessions);
  return (
    <Field label={text('sidebar.folder')}>
      {(control) => (
        <>
          <input
            {...control}
            list={names}
            maxLength={200}
            value={folder}
            placeholder={text('sidebar.noFolder')}
            onChange={({ target }) => onChange(target.value)}
            className={FIELD_LINE}
          />
          <datalist id={names}>
            {folderNames(sessions).map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}

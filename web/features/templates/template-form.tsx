import type { FormEvent } from 'react';
import { useText } from '../../i18n/page-words.ts';
import { useAgents } from '../../live/use-agents.ts';
import { FolderField } from '../../state/choices.tsx';
import { cx } from '../../ui/cx.ts';
import { Check, FIELD_BOX, FIELD_LINE, Field } from '../../ui/field.tsx';
import { type Draft, FORM_ID, isComplete, templateProblem } from './draft.ts';

interface Props {
  draft: Draft;
  /** Why it could not be saved. */
  problem: Error | null;
  onChange(change: Partial<Draft>): void;
  onSubmit(): void;
}

export function TemplateForm({ draft, problem, onChange, onSubmit }: Props) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isComplete(draft)) onSubmit();
  };
  return (
    <form id={FORM_ID} onSubmit={submit} className="flex flex-col gap-3">
      <TemplateFields draft={draft} onChange={onChange} />
      <p role="alert" className="text-danger empty:hidden">
        {problem && templateProblem(problem)}
      </p>
    </form>
  );
}

interface TemplateFieldsProps {
  draft: Draft;
  onChange(change: Partial<Draft>): void;
}

function TemplateFields({ draft, onChange }: TemplateFieldsProps) {
  const text = useText();
  const hasOpening = draft.opening.trim() !== '';
  return (
    <>
      <Field label={text('templates.name')}>
        {(control) => (
          <input
            {...control}
            // biome-ignore lint/a11y/noAutofocus: the form was opened to be filled in
            autoFocus
            required
            maxLength={200}
            value={draft.name}
            onChange={({ target }) => onChange({ name: target.value })}
            className={FIELD_LINE}
          />
        )}
      </Field>
      <div className="grid gap-3 sm:grid-cols-2">
        <AgentField agentId={draft.agentId} onChoose={(agentId) => onChange({ agentId })} />
        <FolderField folder={draft.folder} onChange={(folder) => onChange({ folder })} />
      </div>
      <Field label={text('templates.sessionTitle')}>
        {(control) => (
          <input
            {...control}
            maxLength={200}
            value={draft.title}
            placeholder={text('templates.titleMade')}
            onChange={({ target }) => onChange({ title: target.value })}
            className={FIELD_LINE}
          />
        )}
      </Field>
      <Field
        label={text('templates.opening')}
        hint={text(draft.sendsOpening && hasOpening ? 'templates.openingSent' : 'templates.openingHint')}
      >
        {(control) => (
          <textarea
            {...control}
            rows={4}
            maxLength={20_000}
            value={draft.opening}
            onChange={({ target }) => onChange({ opening: target.value })}
            className={cx(FIELD_BOX, 'field-sizing-content max-h-[32vh] min-h-20 py-1 text-md')}
          />
        )}
      </Field>
      <Check
        isOn={draft.sendsOpening && hasOpening}
        isOff={!hasOpening}
        onCheck={(sendsOpening) => onChange({ sendsOpening })}
      >
        {text('templates.send')}
      </Check>
      <Check isOn={draft.isReadOnly} onCheck={(isReadOnly) => onChange({ isReadOnly })}>
        {text('rail.readOnly')}
      </Check>
    </>
  );
}

/** The agents that can be chosen, and the one it has already. */
function AgentField({ agentId, onChoose }: { agentId: string; onChoose(agentId: string): void }) {
  const text = useText();
  const agents = useAgents();
  const offered = agents.filter((agent) => agent.uiVisible || agent.agentId === agentId);
  const isGone = agentId !== '' && agents.length > 0 && !agents.some((agent) => agent.agentId === agentId);
  return (
    <Field label={text('templates.agent')} problem={isGone ? text('templates.agentGone', { id: agentId }) : undefined}>
      {(control) => (
        <select {...control} value={agentId} onChange={({ target }) => onChoose(target.value)} className={FIELD_LINE}>
          <option value="">{text('templates.agentLast')}</option>
          {isGone && <option value={agentId}>{agentId}</option>}
          {offered.map((agent) => (
            <option key={agent.agentId} value={agent.agentId}>
              {agent.displayName}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

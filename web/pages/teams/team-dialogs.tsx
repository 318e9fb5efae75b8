import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import type { Team } from '../../../contract/teams.ts';
import { useText } from '../../i18n/page-words.ts';
import { useAgents } from '../../live/use-agents.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { isBuilder } from '../../state/choose-agent.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { FIELD_LINE, Field } from '../../ui/field.tsx';
import { useTeamChange } from './use-team.ts';

/** A team begins with its orchestrator; the others are added on its page. */
export function NewTeamDialog({ onClose }: { onClose(): void }) {
  const text = useText();
  const { client } = useLiveConnection();
  const navigate = useNavigate();
  const agents = useAgents().filter((agent) => agent.uiVisible && !isBuilder(agent));
  const [chosen, setChosen] = useState('');
  const orchestrator = chosen || agents[0]?.agentId;
  const save = async (fields: TeamFields) => {
    if (orchestrator === undefined) return;
    const { id } = await client.call('createTeam', { body: { ...fields, agents: [orchestrator] } });
    await navigate({ to: '/teams/$teamId', params: { teamId: id } });
  };
  return (
    <TeamDialog title={text('teams.new')} start={{ name: '', description: '' }} save={save} onClose={onClose}>
      <Field label={text('teams.orchestrator')} hint={text('teams.orchestratorHint')}>
        {(control) => (
          <select
            {...control}
            required
            value={orchestrator}
            onChange={({ target }) => setChosen(target.value)}
            className={FIELD_LINE}
          >
            {agents.map(({ agentId, displayName }) => (
              <option key={agentId} value={agentId}>
                {displayName}
              </option>
            ))}
          </select>
        )}
      </Field>
    </TeamDialog>
  );
}

export function EditTeamDialog({ team, onClose }: { team: Team; onClose(): void }) {
  const text = useText();
  const { client } = useLiveConnection();
  const { id, name, description } = team;
  return (
    <TeamDialog
      title={text('templates.edit', { name })}
      start={{ name, description }}
      save={(body) => client.call('patchTeam', { teamId: id, body })}
      onClose={onClose}
    />
  );
}

interface TeamFields {
  readonly name: string;
  readonly description: string;
}

interface TeamDialogProps {
  title: string;
  start: TeamFields;
  save(fields: TeamFields): Promise<unknown>;
  onClose(): void;
  children?: React.ReactNode;
}

const FORM_ID = 'team-form';

function TeamDialog({ title, start, save, onClose, children }: TeamDialogProps) {
  const text = useText();
  const change = useTeamChange();
  const [fields, setFields] = useState(start);
  const [problem, setProblem] = useState<string | null>(null);
  const isComplete = fields.name.trim() !== '';
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!isComplete) return;
    setProblem(null);
    const trimmed = { name: fields.name.trim(), description: fields.description.trim() };
    if (await change(() => save(trimmed), setProblem)) onClose();
  };
  return (
    <Dialog
      open
      title={title}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{text('action.cancel')}</Button>
          <Button look="primary" type="submit" form={FORM_ID} disabled={!isComplete}>
            {text('agents.save')}
          </Button>
        </>
      }
    >
      <form id={FORM_ID} onSubmit={(event) => void submit(event)} className="flex flex-col gap-3">
        <Field label={text('templates.name')}>
          {(control) => (
            <input
              {...control}
              autoFocus
              required
              maxLength={200}
              value={fields.name}
              onChange={({ target }) => setFields({ ...fields, name: target.value })}
              className={FIELD_LINE}
            />
          )}
        </Field>
        <Field label={text('teams.description')}>
          {(control) => (
            <input
              {...control}
              maxLength={2000}
              value={fields.description}
              onChange={({ target }) => setFields({ ...fields, description: target.value })}
              className={FIELD_LINE}
            />
          )}
        </Field>
        {children}
        <p role="alert" className="text-danger empty:hidden">
          {problem}
        </p>
      </form>
    </Dialog>
  );
}

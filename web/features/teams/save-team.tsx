import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { Cast } from '../../../contract/teams.ts';
import { useText } from '../../i18n/page-words.ts';
import { serverText } from '../../i18n/text.ts';
import { useAgentNames } from '../../live/use-agents.ts';
import { useLiveConnection, useSession } from '../../live/use-live.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Check, FIELD_LINE, Field } from '../../ui/field.tsx';
import { Loaded } from '../../ui/page.tsx';
import { notify } from '../../ui/toast.tsx';

interface Props {
  sessionId: string;
  onClose(): void;
}

/** Keeps the agents of a session as a team. */
export default function SaveTeamDialog(props: Props) {
  const text = useText();
  return (
    <Dialog open onClose={props.onClose} title={text('teams.saveTitle')} wide>
      <SaveTeam {...props} />
    </Dialog>
  );
}

/** Who leads, who stays, and what the leader lacks. */
function SaveTeam({ sessionId, onClose }: Props) {
  const { client } = useLiveConnection();
  const [orchestrator, setOrchestrator] = useState<string | null>(null);
  const cast = useQuery({
    queryKey: ['cast', sessionId, orchestrator],
    queryFn: () => client.call('sessionCast', { sessionId, query: orchestrator === null ? {} : { orchestrator } }),
    placeholderData: (before) => before,
    gcTime: 0,
  });
  return (
    <Loaded query={cast}>
      {(found) => <CastForm sessionId={sessionId} cast={found} onLead={setOrchestrator} onClose={onClose} />}
    </Loaded>
  );
}

interface CastFormProps extends Props {
  cast: Cast;
  onLead(agentId: string): void;
}

function CastForm({ sessionId, cast, onLead, onClose }: CastFormProps) {
  const text = useText();
  const nameOf = useAgentNames();
  const [name, setName] = useState(useSession(sessionId)?.title.slice(0, 200) ?? '');
  const [description, setDescription] = useState('');
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [allow, setAllow] = useState(false);
  const { save, isBusy, problem } = useSave(onClose);
  const [leader, ...others] = cast.agents;
  if (leader === undefined) return <p>{text('teams.noCast')}</p>;
  const kept = others.filter((agentId) => !left.has(agentId));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() === '' || isBusy) return;
    save({
      name: name.trim(),
      description: description.trim(),
      agents: [leader, ...kept],
      allow: allow && !!cast.changes,
    });
  };
  const toggle = (agentId: string, isKept: boolean) => {
    const next = new Set(left);
    if (isKept) next.delete(agentId);
    else next.add(agentId);
    setLeft(next);
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <Field label={text('templates.name')}>
        {(control) => (
          <input
            {...control}
            required
            maxLength={200}
            value={name}
            onChange={({ target }) => setName(target.value)}
            className={FIELD_LINE}
          />
        )}
      </Field>
      <Field label={text('teams.description')}>
        {(control) => (
          <input
            {...control}
            maxLength={2000}
            value={description}
            onChange={({ target }) => setDescription(target.value)}
            className={FIELD_LINE}
          />
        )}
      </Field>
      <Field label={text('teams.orchestrator')} hint={text('teams.orchestratorHint')}>
        {(control) => (
          <select {...control} value={leader} onChange={({ target }) => onLead(target.value)} className={FIELD_LINE}>
            {[...cast.agents].sort().map((agentId) => (
              <option key={agentId} value={agentId}>
                {nameOf(agentId)}
              </option>
            ))}
          </select>
        )}
      </Field>
      {others.length > 0 && (
        <fieldset>
          <legend className="mb-1 text-fg-2">{text('teams.members')}</legend>
          {others.map((agentId) => (
            <Check key={agentId} isOn={!left.has(agentId)} onCheck={(isOn) => toggle(agentId, isOn)}>
              {nameOf(agentId)}
            </Check>
          ))}
        </fieldset>
      )}
      <Lacking cast={cast} left={left} allow={allow} onAllow={setAllow} leader={nameOf(leader)} />
      <p role="alert" className="text-danger empty:hidden">
        {problem}
      </p>
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>{text('action.cancel')}</Button>
        <Button look="primary" type="submit" aria-disabled={isBusy}>
          {text('agents.save')}
        </Button>
      </div>
    </form>
  );
}

interface LackingProps {
  cast: Cast;
  left: ReadonlySet<string>;
  leader: string;
  allow: boolean;
  onAllow(isOn: boolean): void;
}

/** Rights are given only when the person says so, and it is shown which. */
function Lacking({ cast: { refused, changes, gone }, left, leader, allow, onAllow }: LackingProps) {
  const text = useText();
  const shown = refused.filter(({ agentId }) => !left.has(agentId));
  return (
    <>
      {gone.length > 0 && <p className="text-fg-2">{text('teams.gone', { names: gone.join(', ') })}</p>}
      <ul className="font-medium empty:hidden">
        {shown.map(({ agentId, reason, reasonText }) => (
          <li key={agentId}>{serverText(reason, reasonText)}</li>
        ))}
      </ul>
      {changes && (
        <div>
          <Check isOn={allow} onCheck={onAllow}>
            {text('teams.allow', { name: leader })}
          </Check>
          <pre className="mt-1 rounded-md bg-surface break-words whitespace-pre-wrap p-2 font-mono text-xs">
            {JSON.stringify(changes, null, 2)}
          </pre>
        </div>
      )}
    </>
  );
}

interface NewTeam {
  name: string;
  description: string;
  agents: string[];
  allow: boolean;
}

function useSave(onSaved: () => void) {
  const text = useText();
  const { client } = useLiveConnection();
  const queries = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const save = (body: NewTeam) => {
    setBusy(true);
    setProblem(null);
    client
      .call('createTeam', { body })
      .then(async () => {
        await queries.invalidateQueries({ queryKey: ['teams'] });
        notify({ title: text('teams.saved', { name: body.name }) });
        onSaved();
      })
      .catch((error: Error) => setProblem(error.message))
      .finally(() => setBusy(false));
  };
  return { save, isBusy, problem };
}

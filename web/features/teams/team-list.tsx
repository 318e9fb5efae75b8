import { useQueryClient } from '@tanstack/react-query';
import { Download, Pencil, Plus, Trash2, Upload } from 'lucide-react';
import { type FormEvent, useRef, useState } from 'react';
import type { Team, TeamDefinition } from '../../../contract/teams.ts';
import { useText } from '../../i18n/page-words.ts';
import { useAgents } from '../../live/use-agents.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { useSessionDeps } from '../../state/session-deps.ts';
import { teamRows } from '../../state/team-rows.ts';
import { beginWithTeam, useTeamList } from '../../state/teams.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { FIELD_LINE } from '../../ui/field.tsx';
import { focusDialog } from '../../ui/keyboard-focus.ts';
import { saveBlob, toFileName } from '../../ui/own-file.ts';
import { Loaded } from '../../ui/page.tsx';
import { notify } from '../../ui/toast.tsx';
import { useFocusBack } from '../../ui/use-focus-back.ts';
import { ImportTeam, readTeamFile } from './import-team.tsx';

/** All teams: begin with one, rename it, send it elsewhere, or delete it. */
export function TeamList({ onClose }: { onClose(): void }) {
  const teams = useTeamList();
  const [imported, setImported] = useState<TeamDefinition | null>(null);
  const { removed, remove, restore } = useRemoval();
  if (imported) return <ImportTeam team={imported} onDone={() => setImported(null)} />;
  return (
    <>
      <Loaded query={teams}>
        {({ teams: all }) => (
          <Rows teams={all.filter(({ id }) => id !== removed?.id)} onRemove={remove} onClose={onClose} />
        )}
      </Loaded>
      <Removed team={removed} onRestore={restore} />
      <ImportButton onRead={setImported} />
    </>
  );
}

interface RowsProps {
  teams: readonly Team[];
  onRemove(team: Team): void;
  onClose(): void;
}

function Rows({ teams, ...on }: RowsProps) {
  const text = useText();
  if (teams.length === 0) return <EmptyState title={text('teams.none')}>{text('teams.noneHint')}</EmptyState>;
  return (
    <ul aria-label={text('teams.title')} className="divide-y divide-line">
      {teams.map((team) => (
        <TeamRow key={team.id} team={team} {...on} />
      ))}
    </ul>
  );
}

function TeamRow({ team, onRemove, onClose }: { team: Team } & Omit<RowsProps, 'teams'>) {
  const text = useText();
  const { live, navigate } = useSessionDeps();
  const [isRenaming, setRenaming] = useState(false);
  const row = useFocusBack<HTMLLIElement>(isRenaming);
  const { name, description } = team;
  const renamed = () => {
    focusDialog();
    setRenaming(false);
  };
  const begin = () => {
    onClose();
    void beginWithTeam(live, navigate, team);
  };
  const save = () => {
    live.client
      .call('exportTeam', { teamId: team.id })
      .then((file) => saveBlob(new Blob([`${JSON.stringify(file, null, 2)}\n`]), `${toFileName(name)}.team.json`))
      .catch((error: Error) => notify({ title: error.message }));
  };
  return (
    <li ref={row} className="flex flex-wrap items-center gap-2 py-2">
      <span className="min-w-48 flex-1">
        {isRenaming ? (
          <RenameForm team={team} onDone={renamed} />
        ) : (
          <span className="block truncate font-medium">{name}</span>
        )}
        {description && <span className="block text-xs text-fg-2">{description}</span>}
        <TeamTree team={team} />
      </span>
      <span className="flex flex-none gap-1">
        <Button aria-label={text('teams.beginWith', { name })} onClick={begin}>
          <Plus size={14} />
          <span className="max-sm:hidden">{text('agents.newSession')}</span>
        </Button>
        <IconButton data-edit="" label={text('teams.rename', { name })} onClick={() => setRenaming(true)}>
          <Pencil size={14} />
        </IconButton>
        <IconButton label={text('teams.export', { name })} onClick={save}>
          <Download size={14} />
        </IconButton>
        <IconButton label={text('templates.delete', { name })} onClick={() => onRemove(team)}>
          <Trash2 size={14} />
        </IconButton>
      </span>
    </li>
  );
}

function TeamTree({ team }: { team: Team }) {
  const text = useText();
  const agents = useAgents();
  const known = new Map(agents.map((agent) => [agent.agentId, agent]));
  const placed = team.agents.map((agentId) => ({ agentId, parentAgentId: known.get(agentId)?.parentAgentId }));
  return (
    <ul className="text-xs text-fg-3">
      {teamRows(placed).map(({ agentId, depth }) => (
        <li key={agentId} style={{ paddingInlineStart: `${depth * 12}px` }}>
          {known.get(agentId)?.displayName ?? (agents.length > 0 ? text('teams.agentGone', { id: agentId }) : agentId)}
        </li>
      ))}
    </ul>
  );
}

function RenameForm({ team, onDone }: { team: Team; onDone(): void }) {
  const text = useText();
  const { client } = useLiveConnection();
  const queries = useQueryClient();
  const [name, setName] = useState(team.name);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() === '') return;
    client
      .call('patchTeam', { teamId: team.id, body: { name: name.trim() } })
      .then(() => queries.invalidateQueries({ queryKey: ['teams'] }))
      .then(onDone)
      .catch((error: Error) => notify({ title: error.message }));
  };
  return (
    <form onSubmit={submit} className="mb-1 flex gap-2">
      <input
        // biome-ignore lint/a11y/noAutofocus: the person has asked for it
        autoFocus
        aria-label={text('templates.name')}
        maxLength={200}
        value={name}
        onChange={({ target }) => setName(target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          event.stopPropagation();
          onDone();
        }}
        className={FIELD_LINE}
      />
      <Button type="submit" look="primary">
        {text('agents.save')}
      </Button>
    </form>
  );
}

/** Stands where it was done, and takes the keyboard: what was pressed is gone. */
function Removed({ team, onRestore }: { team: Team | null; onRestore(): void }) {
  const text = useText();
  return (
    <div role="status">
      {team && (
        <p className="mt-2 flex items-center gap-2 border-t border-line pt-2 text-fg-2">
          <span className="min-w-0 flex-1 truncate">{text('sidebar.done.deleted', { title: team.name })}</span>
          <Button key={team.id} autoFocus onClick={onRestore}>
            {text('action.undo')}
          </Button>
        </p>
      )}
    </div>
  );
}

/** Deleted at once, everywhere; taking it back makes it anew. Its agents are not touched. */
function useRemoval() {
  const { client } = useLiveConnection();
  const queries = useQueryClient();
  const [removed, setRemoved] = useState<Team | null>(null);
  const attempt = (work: Promise<unknown>, onFailure: () => void) =>
    void work
      .then(() => queries.invalidateQueries({ queryKey: ['teams'] }))
      .catch((error: Error) => {
        onFailure();
        notify({ title: error.message });
      });
  const remove = (team: Team) => {
    setRemoved(team);
    attempt(client.call('deleteTeam', { teamId: team.id }), () => setRemoved(null));
  };
  const restore = () => {
    const team = removed!;
    focusDialog();
    setRemoved(null);
    const { name, description, agents } = team;
    attempt(client.call('createTeam', { body: { name, description, agents } }), () => setRemoved(team));
  };
  return { removed, remove, restore };
}

function ImportButton({ onRead }: { onRead(team: TeamDefinition): void }) {
  const text = useText();
  const input = useRef<HTMLInputElement>(null);
  const read = async (file: File | undefined) => {
    const team = file && readTeamFile(await file.text());
    if (team) onRead(team);
    else if (file) notify({ title: text('teams.notAFile', { name: file.name }) });
  };
  return (
    <div className="mt-3 flex justify-end border-t border-line pt-3">
      <input
        ref={input}
        type="file"
        accept=".json,application/json"
        aria-label={text('teams.import')}
        className="sr-only"
        tabIndex={-1}
        onChange={({ target }) => {
          void read(target.files?.[0]);
          target.value = '';
        }}
      />
      <Button onClick={() => input.current?.click()}>
        <Upload size={14} />
        {text('teams.import')}
      </Button>
    </div>
  );
}

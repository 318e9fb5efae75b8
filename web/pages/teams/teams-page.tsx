import { Link, useParams } from '@tanstack/react-router';
import { Plus, Upload } from 'lucide-react';
import { useRef, useState } from 'react';
import type { Team, TeamDefinition } from '../../../contract/teams.ts';
import { ImportTeam, readTeamFile } from '../../features/teams/import-team.tsx';
import { useText } from '../../i18n/page-words.ts';
import { useAgents } from '../../live/use-agents.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { useSessionDeps } from '../../state/session-deps.ts';
import { beginWithTeam, useTeamList } from '../../state/teams.ts';
import { useRemoval } from '../../state/use-removal.ts';
import { AgentTile } from '../../ui/agent-tile.tsx';
import { BeginningList, BeginningRow } from '../../ui/beginnings.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Page } from '../../ui/page.tsx';
import { notify } from '../../ui/toast.tsx';
import { NewTeamDialog } from './team-dialogs.tsx';
import { TeamMenu } from './team-menu.tsx';
import { TeamPage } from './team-page.tsx';

/** All teams, or the one of the address. */
export function TeamsPage() {
  const { teamId } = useParams({ strict: false });
  return teamId === undefined ? <AllTeams /> : <TeamPage teamId={teamId} />;
}

/** Begin with one, open it, send it elsewhere, or delete it. */
function AllTeams() {
  const text = useText();
  const [isCreating, setCreating] = useState(false);
  const [imported, setImported] = useState<TeamDefinition | null>(null);
  const teams = useTeamList();
  const isEmpty = teams.data?.teams.length === 0;
  const create = (
    <Button look="primary" onClick={() => setCreating(true)}>
      <Plus size={14} />
      {text('teams.new')}
    </Button>
  );
  return (
    <Page
      title={text('teams.title')}
      actions={
        <>
          <ImportButton onRead={setImported} />
          {!isEmpty && create}
        </>
      }
    >
      <p className="mb-4 max-w-[62ch] text-fg-2">{text('teams.intro')}</p>
      <Teams
        query={teams}
        empty={
          <EmptyState title={text('teams.none')} action={create}>
            {text('teams.noneHint')}
          </EmptyState>
        }
      />
      {isCreating && <NewTeamDialog onClose={() => setCreating(false)} />}
      {imported && (
        <Dialog open wide title={text('teams.importTitle')} onClose={() => setImported(null)}>
          <ImportTeam team={imported} onDone={() => setImported(null)} />
        </Dialog>
      )}
    </Page>
  );
}

function Teams({ query, empty }: { query: ReturnType<typeof useTeamList>; empty: React.ReactNode }) {
  const text = useText();
  const { client } = useLiveConnection();
  const removal = useRemoval<Team>({
    list: 'teams',
    remove: ({ id }) => client.call('deleteTeam', { teamId: id }),
    create: ({ name, description, agents }) => client.call('createTeam', { body: { name, description, agents } }),
    problem: ({ message }) => message,
  });
  return (
    <BeginningList
      query={query}
      label={text('teams.title')}
      items={({ teams }) => teams}
      className="rounded-lg border border-line bg-surface px-3"
      empty={removal.removed ? null : empty}
      removal={removal}
    >
      {(team) => (
        <TeamRow key={team.id} team={team} isWanted={team.id === removal.restored} onRemove={removal.remove} />
      )}
    </BeginningList>
  );
}

interface TeamRowProps {
  team: Team;
  isWanted: boolean;
  onRemove(team: Team): void;
}

function TeamRow({ team, isWanted, onRemove }: TeamRowProps) {
  const text = useText();
  const { live, navigate } = useSessionDeps();
  const agents = useAgents();
  const { id, name, description } = team;
  const [leader = ''] = team.agents;
  const known = new Map(agents.map((agent) => [agent.agentId, agent]));
  const nameOf = (agentId: string) =>
    known.get(agentId)?.displayName ?? (agents.length > 0 ? text('teams.agentGone', { id: agentId }) : agentId);
  const isAble = known.get(leader)?.available === true;
  return (
    <BeginningRow
      lead={<AgentTile agentId={leader} agent={known.get(leader)} size={28} />}
      name={
        <Link
          to="/teams/$teamId"
          params={{ teamId: id }}
          dir="auto"
          data-edit=""
          className="touch-link touch:min-w-11 text-link hover:underline"
        >
          {name}
        </Link>
      }
      about={
        <>
          {description && <span className="line-clamp-2 text-xs text-fg-2">{description}</span>}
          <span className="line-clamp-2 text-xs text-fg-3">{team.agents.map(nameOf).join(' · ')}</span>
        </>
      }
      beginLabel={text('teams.beginWith', { name })}
      onBegin={isAble ? () => void beginWithTeam(live, navigate, team) : undefined}
      isWanted={isWanted}
    >
      <TeamMenu team={team} onRemove={() => onRemove(team)} />
    </BeginningRow>
  );
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
    <>
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
    </>
  );
}

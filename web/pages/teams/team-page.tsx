import { Link, useNavigate } from '@tanstack/react-router';
import { MessageSquarePlus } from 'lucide-react';
import type { TeamDetail } from '../../../contract/teams.ts';
import { useText } from '../../i18n/page-words.ts';
import { useAgent } from '../../live/use-agents.ts';
import { useSessionDeps } from '../../state/session-deps.ts';
import { beginWithTeam } from '../../state/teams.ts';
import { AgentTile } from '../../ui/agent-tile.tsx';
import { Button } from '../../ui/button.tsx';
import { Loaded, Page } from '../../ui/page.tsx';
import { notify } from '../../ui/toast.tsx';
import { TeamMembers } from './team-members.tsx';
import { TeamMenu } from './team-menu.tsx';
import { useTeam, useTeamChange } from './use-team.ts';

/** One team: its agents as a tree, to be changed, and a session to begin with it. */
export function TeamPage({ teamId }: { teamId: string }) {
  const text = useText();
  const team = useTeam(teamId);
  if (team.data && !team.isError) return <Detail key={teamId} team={team.data} />;
  return (
    <Page title={text('teams.one')}>
      <Back />
      <Loaded query={team}>{() => null}</Loaded>
    </Page>
  );
}

function Detail({ team }: { team: TeamDetail }) {
  const text = useText();
  const { name, description, agents } = team;
  const [leader = ''] = agents;
  const agent = useAgent(leader);
  const { live, navigate } = useSessionDeps();
  const remove = useDelete(team);
  return (
    <Page
      title={name}
      lead={<AgentTile agentId={leader} agent={agent} size={28} />}
      actions={
        <div className="flex items-center gap-1.5">
          <Button look="primary" disabled={!agent?.available} onClick={() => void beginWithTeam(live, navigate, team)}>
            <MessageSquarePlus size={14} aria-hidden="true" />
            {text('agents.newSession')}
          </Button>
          <TeamMenu team={team} onRemove={remove} />
        </div>
      }
    >
      <Back />
      {description && <p className="mb-4 max-w-[72ch] text-fg-2">{description}</p>}
      <TeamMembers team={team} />
    </Page>
  );
}

function Back() {
  const text = useText();
  return (
    <p className="mb-3">
      <Link to="/teams" activeOptions={{ exact: true }} className="touch-link text-xs text-link underline">
        {text('teams.all')}
      </Link>
    </p>
  );
}

/** Its agents stay. Taking it back makes it anew, under another ID. */
function useDelete({ id, name, description, agents }: TeamDetail): () => void {
  const text = useText();
  const navigate = useNavigate();
  const { live } = useSessionDeps();
  const change = useTeamChange();
  const restore = () =>
    change(async () => {
      const { id: teamId } = await live.client.call('createTeam', { body: { name, description, agents } });
      await navigate({ to: '/teams/$teamId', params: { teamId } });
    });
  return () =>
    void change(async () => {
      await live.client.call('deleteTeam', { teamId: id });
      await navigate({ to: '/teams' });
      const title = text('sidebar.done.deleted', { title: name });
      notify({ title, undo: { label: text('action.undo'), run: () => void restore() } });
    });
}

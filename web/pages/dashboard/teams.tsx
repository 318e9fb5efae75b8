import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import type { Team } from '../../../contract/teams.ts';
import { useText } from '../../i18n/page-words.ts';
import { useAgent, useAgentNames } from '../../live/use-agents.ts';
import { useSessionDeps } from '../../state/session-deps.ts';
import { beginWithTeam, useTeams } from '../../state/teams.ts';
import { AgentTile } from '../../ui/agent-tile.tsx';
import { IconButton } from '../../ui/button.tsx';
import { Section } from '../../ui/page.tsx';

/** Teams beside the agents that they are made of. A click opens one. */
export function Teams() {
  const text = useText();
  return (
    <Section title={text('nav.teams')}>
      <ul className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,248px),1fr))] gap-2.5">
        {useTeams().map((team) => (
          <TeamCard key={team.id} team={team} />
        ))}
      </ul>
    </Section>
  );
}

function TeamCard({ team }: { team: Team }) {
  const text = useText();
  const nameOf = useAgentNames();
  const { live, navigate } = useSessionDeps();
  const { id, name, description, agents } = team;
  const [leader = ''] = agents;
  const agent = useAgent(leader);
  return (
    <li className="relative flex flex-col rounded-lg border border-line bg-surface p-3 hover:border-line-strong">
      <div className="flex items-center gap-2.5">
        <AgentTile agentId={leader} agent={agent} size={28} />
        <h3 dir="auto" className="min-w-0 flex-1 truncate font-semibold">
          <Link
            to="/teams/$teamId"
            params={{ teamId: id }}
            title={name}
            className="block truncate after:absolute after:inset-0 after:rounded-lg focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:outline-accent"
          >
            {name}
          </Link>
        </h3>
        <IconButton
          label={text('teams.beginWith', { name })}
          disabled={!agent?.available}
          className="relative z-10 -m-1"
          onClick={() => void beginWithTeam(live, navigate, team)}
        >
          <Plus size={15} />
        </IconButton>
      </div>
      {description && <p className="mt-2 line-clamp-2 text-fg-2">{description}</p>}
      <p className="mt-auto line-clamp-2 pt-2 text-xs text-fg-3">{agents.map(nameOf).join(' · ')}</p>
    </li>
  );
}

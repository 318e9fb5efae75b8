import { useNavigate } from '@tanstack/react-router';
import { Settings2, Users } from 'lucide-react';
import { useText } from '../../i18n/text.ts';
import { useAgents } from '../../live/use-agents.ts';
import type { TemplateItemsProps } from '../../state/slots.tsx';
import { beginWithTeam, useTeams } from '../../state/teams.ts';
import { MenuItem, MenuSeparator } from '../../ui/menu.tsx';

/** Teams in a menu of what a session can begin with. */
export function TeamItems({ live, navigate }: TemplateItemsProps) {
  const text = useText();
  const agents = useAgents();
  const go = useNavigate();
  return (
    <>
      <MenuSeparator />
      {useTeams().map((team) => {
        const isAble = agents.some(({ agentId, available }) => agentId === team.agents[0] && available);
        return (
          <MenuItem
            key={team.id}
            icon={<Users size={14} />}
            disabled={!isAble}
            onSelect={() => void beginWithTeam(live, navigate, team)}
          >
            {isAble ? team.name : text('sidebar.unavailable', { name: team.name })}
          </MenuItem>
        );
      })}
      <MenuItem icon={<Settings2 size={14} />} onSelect={() => void go({ to: '/teams' })}>
        {text('teams.manage')}
      </MenuItem>
    </>
  );
}

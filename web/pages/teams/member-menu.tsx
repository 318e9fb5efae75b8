import { ArrowDown, ArrowUp, CornerDownRight, Crown, MoreHorizontal, UserMinus } from 'lucide-react';
import type { Agent } from '../../../contract/agents.ts';
import type { TeamDetail } from '../../../contract/teams.ts';
import { useText } from '../../i18n/page-words.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import type { TeamRow } from '../../state/team-rows.ts';
import { IconButton } from '../../ui/button.tsx';
import { useConfirming } from '../../ui/confirmed-program.tsx';
import { Menu, MenuInfo, MenuItem, MenuSeparator } from '../../ui/menu.tsx';
import { notify } from '../../ui/toast.tsx';
import { moved, parentsFor, siblingsOf } from './places.ts';
import { useTeamChange } from './use-team.ts';

interface Props {
  team: TeamDetail;
  /** As they are shown. */
  rows: readonly TeamRow[];
  agentId: string;
  agents: ReadonlyMap<string, Agent>;
}

/** Where an agent stands in its team. Its parent is part of the agent itself, so that changes it everywhere. */
export function MemberMenu({ team, rows, agentId, agents }: Props) {
  const text = useText();
  const { setMembers, setParent, remove, dialog } = useMemberVerbs(team, agentId);
  const nameOf = (id: string) => agents.get(id)?.displayName ?? id;
  const siblings = siblingsOf(rows, agentId);
  const at = siblings.indexOf(agentId);
  const parents = agents.has(agentId) ? parentsFor(rows, agentId) : [];
  const swap = (other: string | undefined) => other && setMembers(moved(team.agents, agentId, other));
  if (team.agents.length === 1) return null;
  return (
    <>
      <Menu
        trigger={
          <IconButton label={text('teams.memberActions', { name: nameOf(agentId) })}>
            <MoreHorizontal size={15} />
          </IconButton>
        }
      >
        {siblings.length > 1 && (
          <>
            <MenuItem icon={<ArrowUp size={14} />} disabled={at === 0} onSelect={() => swap(siblings[at - 1])}>
              {text('teams.moveUp')}
            </MenuItem>
            <MenuItem
              icon={<ArrowDown size={14} />}
              disabled={at === siblings.length - 1}
              onSelect={() => swap(siblings[at + 1])}
            >
              {text('teams.moveDown')}
            </MenuItem>
          </>
        )}
        {agentId !== team.agents[0] && (
          <MenuItem
            icon={<Crown size={14} />}
            onSelect={() => setMembers([agentId, ...team.agents.filter((id) => id !== agentId)])}
          >
            {text('teams.makeOrchestrator')}
          </MenuItem>
        )}
        {parents.length > 0 && (
          <>
            <MenuSeparator />
            <MenuInfo>{text('teams.parentHint')}</MenuInfo>
            {parents.map((parent) => (
              <MenuItem key={parent} icon={<CornerDownRight size={14} />} onSelect={() => setParent(parent)}>
                {text('teams.putUnder', { name: nameOf(parent) })}
              </MenuItem>
            ))}
          </>
        )}
        <MenuSeparator />
        <MenuItem danger icon={<UserMinus size={14} />} onSelect={() => remove(nameOf(agentId))}>
          {text('teams.removeMember')}
        </MenuItem>
      </Menu>
      {dialog}
    </>
  );
}

function useMemberVerbs({ id, name, agents }: TeamDetail, agentId: string) {
  const text = useText();
  const { client } = useLiveConnection();
  const change = useTeamChange();
  const confirming = useConfirming();
  const patch = (members: readonly string[]) =>
    change(() => client.call('patchTeam', { teamId: id, body: { agents: [...members] } }));
  const setParent = (parentAgentId: string) =>
    void change(async () => {
      const { version } = await client.call('getAgent', { agentId });
      await confirming.run((confirm) =>
        client.call('updateAgent', { agentId, body: { parentAgentId }, query: { confirm }, version }),
      );
    });
  const remove = async (shown: string) => {
    if (!(await patch(agents.filter((other) => other !== agentId)))) return;
    const undo = { label: text('action.undo'), run: () => void patch(agents) };
    notify({ title: text('teams.removed', { name: shown, team: name }), undo });
  };
  return {
    setMembers: (members: readonly string[]) => void patch(members),
    setParent,
    remove: (shown: string) => void remove(shown),
    dialog: confirming.dialog,
  };
}

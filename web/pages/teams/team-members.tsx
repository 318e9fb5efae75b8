import { Link } from '@tanstack/react-router';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import type { TeamDetail } from '../../../contract/teams.ts';
import { useText } from '../../i18n/page-words.ts';
import { builtInText, serverText } from '../../i18n/text.ts';
import { useAgents } from '../../live/use-agents.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { isBuilder } from '../../state/choose-agent.ts';
import { teamRows } from '../../state/team-rows.ts';
import { AgentTile } from '../../ui/agent-tile.tsx';
import { Button } from '../../ui/button.tsx';
import { FIELD_LINE } from '../../ui/field.tsx';
import { isFocusLost } from '../../ui/keyboard-focus.ts';
import { Badge, Section } from '../../ui/page.tsx';
import { MemberMenu } from './member-menu.tsx';
import { useTeamChange } from './use-team.ts';

/** The orchestrator, and below it who works for whom. */
export function TeamMembers({ team }: { team: TeamDetail }) {
  const text = useText();
  const list = useKeptFocus(team.agents.join());
  return (
    <Section title={text('teams.agents')} hint={text('teams.agentsHint')}>
      <ul
        ref={list}
        aria-label={text('teams.agents')}
        className="divide-y divide-line rounded-lg border border-line bg-surface"
      >
        <Members team={team} />
      </ul>
      <Lacking team={team} />
      <AddMember team={team} />
    </Section>
  );
}

/** The button that was pressed can go away with its line: then another one of the list has the focus. */
function useKeptFocus(what: string) {
  const list = useRef<HTMLUListElement>(null);
  const before = useRef(what);
  useEffect(() => {
    if (before.current === what) return;
    before.current = what;
    const frame = requestAnimationFrame(() => {
      if (isFocusLost()) list.current?.querySelector<HTMLElement>('button')?.focus();
    });
    return () => cancelAnimationFrame(frame);
  }, [what]);
  return list;
}

function Members({ team }: { team: TeamDetail }) {
  const text = useText();
  const agents = useAgents();
  const known = new Map(agents.map((agent) => [agent.agentId, agent]));
  const placed = team.agents.map((agentId) => ({ agentId, parentAgentId: known.get(agentId)?.parentAgentId }));
  const reasons = new Map(team.refused.map((one) => [one.agentId, serverText(one.reason, one.reasonText)]));
  const rows = teamRows(placed);
  return rows.map(({ agentId, depth }) => {
    const agent = known.get(agentId);
    return (
      <li key={agentId} className="py-2 pr-2" style={{ paddingInlineStart: `${12 + Math.min(depth, 5) * 20}px` }}>
        <div className="flex items-center gap-2.5">
          <AgentTile agentId={agentId} agent={agent} />
          <span className="min-w-0 flex-1">
            <span className="flex flex-wrap items-center gap-x-2">
              {agent ? (
                <Link
                  to="/agents/$"
                  params={{ _splat: agentId }}
                  dir="auto"
                  className="touch-link min-w-0 touch:min-w-11 truncate font-medium text-link hover:underline"
                >
                  {agent.displayName}
                </Link>
              ) : (
                <span className="text-danger">{text('teams.agentGone', { id: agentId })}</span>
              )}
              {depth === 0 && <Badge>{text('teams.orchestrator')}</Badge>}
            </span>
            {agent?.description && (
              <span dir="auto" className="line-clamp-2 text-xs text-fg-2">
                {builtInText(agent.description)}
              </span>
            )}
            {reasons.has(agentId) && <span className="block text-xs text-danger">{reasons.get(agentId)}</span>}
          </span>
          <MemberMenu team={team} rows={rows} agentId={agentId} agents={known} />
        </div>
      </li>
    );
  });
}

/** What the orchestrator would be given, before it is. */
function Lacking({ team }: { team: TeamDetail }) {
  const text = useText();
  const { client } = useLiveConnection();
  const change = useTeamChange();
  const agents = useAgents();
  if (!team.changes) return null;
  const [leader = ''] = team.agents;
  const name = agents.find(({ agentId }) => agentId === leader)?.displayName ?? leader;
  const allow = () => change(() => client.call('patchTeam', { teamId: team.id, body: { allow: true } }));
  return (
    <div role="status" className="mt-3 rounded-lg border border-line bg-surface px-3 py-2.5">
      <p>{text('teams.allow', { name })}</p>
      <pre className="mt-1 rounded-md bg-bg p-2 font-mono text-xs break-words whitespace-pre-wrap">
        {JSON.stringify(team.changes, null, 2)}
      </pre>
      <Button className="mt-2" onClick={() => void allow()}>
        {text('teams.allowNow', { name })}
      </Button>
    </div>
  );
}

function AddMember({ team }: { team: TeamDetail }) {
  const text = useText();
  const { client } = useLiveConnection();
  const change = useTeamChange();
  const [chosen, setChosen] = useState('');
  const offered = useAgents().filter(
    (agent) => agent.uiVisible && !isBuilder(agent) && !team.agents.includes(agent.agentId),
  );
  if (offered.length === 0) return null;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (chosen === '') return;
    const body = { agents: [...team.agents, chosen] };
    if (await change(() => client.call('patchTeam', { teamId: team.id, body }))) setChosen('');
  };
  return (
    <form onSubmit={(event) => void submit(event)} className="mt-3 flex gap-2">
      <select
        aria-label={text('teams.addWhich')}
        value={chosen}
        onChange={({ target }) => setChosen(target.value)}
        className={`${FIELD_LINE} min-w-0 max-w-80`}
      >
        <option value="">{text('teams.addChoose')}</option>
        {offered.map(({ agentId, displayName }) => (
          <option key={agentId} value={agentId}>
            {displayName}
          </option>
        ))}
      </select>
      <Button type="submit" aria-disabled={chosen === ''} className="flex-none">
        {text('teams.add')}
      </Button>
    </form>
  );
}

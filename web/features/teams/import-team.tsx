import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { isJsonTooDeep } from '../../../contract/json-depth.ts';
import type { TeamDefinition } from '../../../contract/teams.ts';
import { useText } from '../../i18n/panel-words.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { Button } from '../../ui/button.tsx';
import { NotConfirmed, useConfirming } from '../../ui/confirmed-program.tsx';
import { Loaded } from '../../ui/page.tsx';

/** A file that was exported, or one that holds only the team; null when it is neither. */
export function readTeamFile(text: string): TeamDefinition | null {
  if (isJsonTooDeep(text)) return null;
  try {
    const json = JSON.parse(text) as Partial<TeamDefinition> & { team?: TeamDefinition };
    const team = json.team ?? json;
    return typeof team.name === 'string' && Array.isArray(team.agents) ? (team as TeamDefinition) : null;
  } catch {
    return null;
  }
}

/** What is in the file and what its agents would be allowed, before anything is created. */
export function ImportTeam({ team, onDone }: { team: TeamDefinition; onDone(): void }) {
  const text = useText();
  const { client } = useLiveConnection();
  const queries = useQueryClient();
  const confirming = useConfirming();
  const [problem, setProblem] = useState<string | null>(null);
  const judgement = useQuery({
    queryKey: ['judge-team', JSON.stringify(team)],
    queryFn: () => client.call('judgeTeam', { body: team }),
    gcTime: 0,
    retry: false,
  });
  const create = () => {
    setProblem(null);
    confirming
      .run((confirm) => client.call('makeTeam', { body: team, query: { confirm } }))
      .then(() => queries.invalidateQueries({ queryKey: ['teams'] }))
      .then(onDone)
      .catch((error: Error) => {
        if (!(error instanceof NotConfirmed)) setProblem(error.message);
      });
  };
  return (
    <section aria-label={team.name}>
      <p className="font-semibold">{team.name}</p>
      {team.description && <p className="text-fg-2">{team.description}</p>}
      <Loaded query={judgement}>
        {({ issues, members }) => (
          <>
            {issues.map((issue) => (
              <p key={issue} className="text-danger">
                {issue}
              </p>
            ))}
            <ul className="mt-2 space-y-2">
              {members.map(({ agentId, issues: wrong, mayUse, mayAskToUse }) => (
                <li key={agentId} className="text-xs">
                  <span className="block font-mono text-fg">{agentId}</span>
                  {wrong.map((issue) => (
                    <span key={issue} className="block text-danger">
                      {issue}
                    </span>
                  ))}
                  <Tools title={text('teams.mayUse')} names={mayUse} />
                  <Tools title={text('teams.mayAskToUse')} names={mayAskToUse} />
                </li>
              ))}
            </ul>
          </>
        )}
      </Loaded>
      <p role="alert" className="mt-2 text-danger empty:hidden">
        {problem}
      </p>
      <div className="mt-3 flex justify-end gap-2">
        <Button onClick={onDone}>{text('action.cancel')}</Button>
        <Button look="primary" onClick={create}>
          {text('teams.create')}
        </Button>
      </div>
      {confirming.dialog}
    </section>
  );
}

function Tools({ title, names }: { title: string; names: readonly string[] }) {
  const own = names.filter((name) => !name.startsWith('system_'));
  if (own.length === 0) return null;
  return (
    <span className="block text-fg-2">
      {title}: {own.join(', ')}
    </span>
  );
}

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { AgentDefinition } from '../../../../contract/agents.ts';
import type { TeamDraft } from '../../../../contract/builder.ts';
import type { Team, TeamDefinition, TeamJudgement } from '../../../../contract/teams.ts';
import { useText } from '../../../i18n/panel-words.ts';
import { useLiveConnection } from '../../../live/use-live.ts';
import { useSlots } from '../../../state/slots.tsx';
import { useTeams } from '../../../state/teams.ts';
import { Button } from '../../../ui/button.tsx';
import { NotConfirmed, useConfirming } from '../../../ui/confirmed-program.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import { notify } from '../../../ui/toast.tsx';
import { editByHand, forgetHandEdit, useHandEdit } from './proposal.ts';
import { parseTeam, type TeamProposal } from './team-proposal.ts';
import { TeamTree } from './team-tree.tsx';

const TABS = ['tree', 'json'] as const;
type Tab = (typeof TABS)[number];

interface Props {
  sessionId: string;
  proposal: TeamProposal;
}

/** A team as the builder proposes it: a tree of agents that can each be changed, or JSON; tried here, and created. */
export function TeamPane({ sessionId, proposal }: Props) {
  const text = useText();
  const [tab, setTab] = useState<Tab>('tree');
  const edit = useHandEdit(sessionId);
  const own = edit?.callId === proposal.callId ? edit : undefined;
  const written = own?.text ?? JSON.stringify(proposal.team, null, 2);
  const team = parseTeam(written);
  const made = useTeams().find(({ created }) => created.length > 0 && created[0] === team?.agents[0]?.agentId);
  const judgement = useJudgement(made ? null : team, own ? null : proposal.judgement);
  const change = (next: string) => editByHand(sessionId, proposal.callId, next);
  return (
    <section
      data-touch=""
      aria-label={text('builder.draft')}
      className="min-w-0 flex-1 overflow-y-auto px-4 pt-3 pb-4 @min-[480px]:px-6"
    >
      {edit && !own && !edit.isTold && (
        <p
          role="status"
          className="mb-3 flex flex-wrap items-center gap-2 rounded-lg border border-line bg-surface px-3 py-2"
        >
          <span className="flex-1">{text('builder.newer')}</span>
          <Button onClick={() => change(edit.text)}>{text('builder.mine')}</Button>
        </p>
      )}
      {own && <p className="mb-2 text-xs text-fg-2">{text(own.isTold ? 'builder.told' : 'builder.tells')}</p>}
      <Tabs<Tab>
        label={text('builder.draft')}
        tabs={TABS.map((id) => ({ id, title: text(`builder.team.${id}`) }))}
        chosen={tab}
        onChoose={setTab}
      >
        {tab === 'json' ? (
          <JsonBox written={written} isTeam={team !== null} onChange={change} />
        ) : (
          <TreeOrHint team={team} judgement={judgement} onChange={(next) => change(JSON.stringify(next, null, 2))} />
        )}
      </Tabs>
      {team && (
        <Deeds team={team} judgement={judgement} made={made} onDiscard={own && (() => forgetHandEdit(sessionId))} />
      )}
    </section>
  );
}

/** What the server says of it: of what the builder proposed it has said so already. */
function useJudgement(team: TeamDraft | null, told: TeamJudgement | null): TeamJudgement | null {
  const { client } = useLiveConnection();
  const written = JSON.stringify(team);
  const { data } = useQuery({
    queryKey: ['judge-team', written],
    queryFn: () => client.call('judgeTeam', { body: toDefinition(team!) }).catch(asJudgement),
    enabled: team !== null && team.agents.length > 0 && told === null,
    placeholderData: (before) => before,
    retry: false,
  });
  return told ?? data ?? null;
}

/** What cannot be read as a team is refused as a whole, with every place. */
function asJudgement(error: Error & { issues?: string[] }): TeamJudgement {
  return { issues: error.issues ?? [error.message], members: [] };
}

function toDefinition({ name, description, agents }: TeamDraft): TeamDefinition {
  return { name, description, agents: [...agents] };
}

function JsonBox({ written, isTeam, onChange }: { written: string; isTeam: boolean; onChange(text: string): void }) {
  const text = useText();
  return (
    <>
      <textarea
        aria-label={text('builder.team.json')}
        aria-invalid={!isTeam}
        spellCheck={false}
        rows={20}
        value={written}
        onChange={({ target }) => onChange(target.value)}
        className="w-full resize-y rounded-md border border-line-strong bg-bg p-2 font-mono text-xs"
      />
      <p role="alert" className="text-danger empty:hidden">
        {isTeam ? null : text('builder.team.unreadable')}
      </p>
    </>
  );
}

interface TreeOrHintProps {
  team: TeamDraft | null;
  judgement: TeamJudgement | null;
  onChange(team: TeamDraft): void;
}

function TreeOrHint({ team, judgement, onChange }: TreeOrHintProps) {
  const text = useText();
  if (!team) return <p className="text-danger">{text('builder.team.unreadable')}</p>;
  return <TeamTree team={team} judgement={judgement} onChange={onChange} />;
}

interface DeedsProps {
  team: TeamDraft;
  judgement: TeamJudgement | null;
  /** What was created of it. */
  made: Team | undefined;
  onDiscard: (() => void) | undefined;
}

/** Trying it, and creating it: only the person does. */
function Deeds({ team, judgement, made, onDiscard }: DeedsProps) {
  const text = useText();
  const { client } = useLiveConnection();
  const { ScratchChat } = useSlots();
  const [tried, setTried] = useState<string | null>(null);
  const written = JSON.stringify(team.agents);
  const { create, isBusy, problem, dialog } = useCreate();
  const isSound = team.agents.length > 0 && !!judgement && !hasIssues(judgement);
  return (
    <>
      {made && <Made team={made} />}
      <p role="alert" className="mt-2 text-danger empty:hidden">
        {problem}
      </p>
      <div className="mt-3 flex flex-wrap justify-end gap-2 border-t border-line pt-3 empty:hidden">
        {!made && (
          <>
            {onDiscard && (
              <Button look="plain" onClick={onDiscard}>
                {text('builder.team.discard')}
              </Button>
            )}
            <Button disabled={!isSound || tried !== null} onClick={() => setTried(written)}>
              {text('builder.team.try')}
            </Button>
            <Button look="primary" disabled={!isSound || isBusy} onClick={() => create(toDefinition(team))}>
              {text('teams.create')}
            </Button>
          </>
        )}
      </div>
      {tried && (
        <ScratchChat
          title={text('builder.team.trial')}
          hint={text('builder.team.trialHint')}
          note={tried === written ? null : text('builder.team.trialOld')}
          begin={() => client.call('tryTeam', { body: { agents: JSON.parse(tried) as AgentDefinition[] } })}
          onClose={() => setTried(null)}
          className="mt-3"
        />
      )}
      {dialog}
    </>
  );
}

function hasIssues({ issues, members }: TeamJudgement): boolean {
  return issues.length > 0 || members.some((one) => one.issues.length > 0);
}

function useCreate() {
  const text = useText();
  const { client } = useLiveConnection();
  const queries = useQueryClient();
  const confirming = useConfirming();
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const create = (body: TeamDefinition) => {
    setBusy(true);
    setProblem(null);
    confirming
      .run((confirm) => client.call('makeTeam', { body, query: { confirm } }))
      .then(async ({ name }) => {
        await queries.invalidateQueries({ queryKey: ['teams'] });
        notify({ title: text('builder.team.made', { name }) });
      })
      .catch((error: Error) => {
        if (!(error instanceof NotConfirmed)) setProblem(error.message);
      })
      .finally(() => setBusy(false));
  };
  return { create, isBusy, problem, dialog: confirming.dialog };
}

/** It can be undone for as long as none of its agents was changed. */
function Made({ team }: { team: Team }) {
  const text = useText();
  const { client } = useLiveConnection();
  const queries = useQueryClient();
  const undo = () =>
    client
      .call('unmakeTeam', { teamId: team.id })
      .then(() => queries.invalidateQueries({ queryKey: ['teams'] }))
      .then(() => void notify({ title: text('builder.team.undone', { name: team.name }) }))
      .catch((error: Error) => void notify({ title: error.message }));
  return (
    <div role="status" className="mt-3 flex items-center gap-3 rounded-lg border border-line bg-surface px-3 py-2">
      <p className="flex-1">{text('builder.team.made', { name: team.name })}</p>
      <Button onClick={() => void undo()}>{text('action.undo')}</Button>
    </div>
  );
}
